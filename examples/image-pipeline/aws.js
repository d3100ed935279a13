// The three services of Amazon that the pipeline uses. With AWS_ENDPOINT_URL_… (start.js sets them) the SDK speaks to an emulator instead.
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import { S3Client } from '@aws-sdk/client-s3'

const env = (name, otherwise) => process.env[name] ?? otherwise

export const BUCKET = env('IMAGE_BUCKET', 'images')
export const DISTRIBUTION = env('IMAGE_DISTRIBUTION', 'E2IMAGEPIPELINE')
export const QUEUE_URL = env('IMAGE_QUEUE_URL')
export const DEAD_LETTER_URL = env('IMAGE_DEAD_LETTER_URL')

// An emulator has no host name for each bucket.
export const s3 = new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined })
export const cloudFront = new CloudFrontClient({})
