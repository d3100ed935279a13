/** The three services of Amazon that the pipeline uses. With AWS_ENDPOINT_URL_… (emulators.ts sets them) the SDK calls an emulator instead. */
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import { S3Client } from '@aws-sdk/client-s3'

export interface Aws {
  readonly s3: S3Client
  readonly cloudFront: CloudFrontClient
  readonly bucket: string
  readonly distribution: string
  /** For `connectSqs`. */
  readonly sqs: { readonly queueUrl: string; readonly deadLetterUrl?: string; readonly endpoint?: string }
}

/** Reads the environment now: the clients look at it when they are made. */
export function connectAws(env: NodeJS.ProcessEnv = process.env): Aws {
  const { IMAGE_QUEUE_URL: queueUrl, IMAGE_DEAD_LETTER_URL: deadLetterUrl } = env
  if (queueUrl === undefined)
    throw new Error('IMAGE_QUEUE_URL is not set: name your SQS queue, or start the example, which has one')
  const endpoint = env.AWS_ENDPOINT_URL_SQS
  return {
    // An emulator has no host name for each bucket.
    s3: new S3Client({ forcePathStyle: env.AWS_ENDPOINT_URL_S3 !== undefined }),
    cloudFront: new CloudFrontClient({}),
    bucket: env.IMAGE_BUCKET ?? 'images',
    distribution: env.IMAGE_DISTRIBUTION ?? 'E2IMAGEPIPELINE',
    sqs: {
      queueUrl,
      ...(deadLetterUrl === undefined ? {} : { deadLetterUrl }),
      ...(endpoint === undefined ? {} : { endpoint }),
    },
  }
}
