/** SQS, S3 and CloudFront on this machine. Sets the variables by which the SDK and the pipeline find them. */
import { startFauxqs } from 'fauxqs'
import { type Cdn, startCdn } from './cdn.js'

export interface Emulators {
  readonly cdn: Cdn
  stop(): Promise<void>
}

export async function startEmulators(): Promise<Emulators> {
  const aws = await startFauxqs({ port: 0, logger: false })
  aws.createBucket('images')
  const dead = aws.createQueue('images-dead')
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: 5 })
  const { queueUrl } = aws.createQueue('images', { attributes: { RedrivePolicy } })
  const endpoint = `http://127.0.0.1:${aws.port}`
  const cdn = await startCdn()
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_CLOUDFRONT: cdn.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    IMAGE_QUEUE_URL: queueUrl,
    IMAGE_DEAD_LETTER_URL: dead.queueUrl,
  })
  return {
    cdn,
    stop: async () => {
      await cdn.stop()
      await aws.stop()
    },
  }
}
