/** The limits of the pipeline: each has a name, a default, and a variable of the environment. */
export interface ImageLimits {
  /** Bytes of an uploaded image. */
  readonly uploadBytesMax: number
  /** Width times height: a small file can be a picture of gigabytes. */
  readonly pixelsMax: number
}

const MIB = 1024 * 1024

export function imageLimits(env: NodeJS.ProcessEnv = process.env): ImageLimits {
  return {
    uploadBytesMax: whole(env, 'IMAGE_UPLOAD_BYTES_MAX', 10 * MIB),
    pixelsMax: whole(env, 'IMAGE_PIXELS_MAX', 50_000_000),
  }
}

function whole(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const value = Number(env[name] ?? otherwise)
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is ${env[name]}: set it to a whole number of at least 1, or leave it out`)
  return value
}

/** What is taken, with the name that sharp has for it. */
export const FORMATS = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
} as const

export type ImageType = keyof typeof FORMATS
export const IMAGE_TYPES = Object.keys(FORMATS) as [ImageType, ...ImageType[]]

/** Widths of the thumbnails. One that would be wider than its image has the image's own width. */
export const SIZES = [64, 320, 1024] as const
