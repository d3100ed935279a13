/** From the bytes of an image to its thumbnails, or to the reason why there are none. */
import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { FORMATS, type ImageLimits, type ImageType, SIZES } from './limits.js'

/** The image itself is at fault: however often it is tried, the bytes stay what they are. `code` is a label of the metrics. */
export class BadImage extends Error {
  override readonly name = 'BadImage'
  readonly code: 'corrupt' | 'wrong_type' | 'too_many_pixels' | 'too_many_bytes'

  constructor(code: BadImage['code'], message: string) {
    super(message)
    this.code = code
  }
}

interface Thumbnail {
  /** The width that was asked for, and its name. */
  readonly size: number
  readonly width: number
  readonly height: number
  readonly data: Buffer
}

interface Measured {
  readonly format: string
  readonly width: number
  readonly height: number
}

export async function thumbnailsOf(
  original: Buffer,
  type: ImageType,
  limits: ImageLimits,
): Promise<{ readonly original: Measured; readonly thumbnails: readonly Thumbnail[] }> {
  const measured = await check(original, type, limits)
  const thumbnails: Thumbnail[] = []
  for (const size of SIZES) {
    const { data, info } = await sharp(original, { limitInputPixels: limits.pixelsMax, failOn: 'error' })
      .rotate()
      .resize({ width: size, withoutEnlargement: true })
      .webp()
      .toBuffer({ resolveWithObject: true })
      .catch(unreadable)
    thumbnails.push({ size, width: info.width, height: info.height, data })
  }
  return { original: measured, thumbnails }
}

/** Before it is read: who can write to the bucket is not bound by the limits of the API. */
export function checkBytes(bytes: number, { uploadBytesMax }: ImageLimits): void {
  if (bytes > uploadBytesMax)
    throw new BadImage('too_many_bytes', `it has ${bytes} bytes; the most is ${uploadBytesMax}`)
}

/** Only the header is read: a picture of gigabytes is refused before it is unpacked. */
async function check(original: Buffer, type: ImageType, limits: ImageLimits): Promise<Measured> {
  const { format, width, height } = await sharp(original, { limitInputPixels: false })
    .metadata()
    .catch(unreadable)
  if (format !== FORMATS[type])
    throw new BadImage('wrong_type', `it was sent as ${type}, and its bytes are ${format}`)
  const pixels = width * height
  if (pixels > limits.pixelsMax)
    throw new BadImage(
      'too_many_pixels',
      `it has ${pixels} pixels (${width} × ${height}); the most is ${limits.pixelsMax}`,
    )
  return { format, width, height }
}

function unreadable(error: Error): never {
  throw new BadImage('corrupt', `not an image we can read: ${error.message}`)
}

export const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
