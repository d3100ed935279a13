/** What a request brings: the bytes of one image, by themselves or as the file of a form. */
import { IMAGE_TYPES, type ImageLimits, type ImageType } from './limits.js'

/** An upload that is refused: an HTTP status and what to do instead. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Upload {
  readonly type: ImageType
  readonly bytes: Buffer
}

/** Field names and boundaries around the file of a form. */
export const FORM_BYTES_MAX = 16 * 1024
const FIELD = 'file'

export async function uploadOf(contentType: string, body: unknown, limits: ImageLimits): Promise<Upload> {
  if (!Buffer.isBuffer(body)) throw new Refused(415, HOW_TO_UPLOAD)
  const { type, bytes } = contentType.startsWith('multipart/form-data')
    ? await fileOf(contentType, body)
    : { type: contentType, bytes: body }
  const [mime = ''] = type.toLowerCase().split(';', 1)
  if (!isImageType(mime.trim()))
    throw new Refused(415, `"${mime}" is not taken: send ${IMAGE_TYPES.join(', ')}.`)
  if (bytes.length === 0) throw new Refused(400, `The image has no bytes. ${HOW_TO_UPLOAD}`)
  if (bytes.length > limits.uploadBytesMax)
    throw new Refused(413, `The image has ${bytes.length} bytes; the most is ${limits.uploadBytesMax}.`)
  return { type: mime.trim() as ImageType, bytes }
}

/** The one file of the form, in the field `file`. */
async function fileOf(contentType: string, body: Buffer): Promise<{ type: string; bytes: Buffer }> {
  const headers = { 'content-type': contentType }
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw new Refused(400, `The form cannot be read. ${HOW_TO_UPLOAD}`)
  })
  const files = [...form.entries()].filter(([, value]) => typeof value !== 'string')
  const [name, file] = files[0] ?? []
  if (files.length !== 1 || name !== FIELD || file === undefined || typeof file === 'string')
    throw new Refused(400, `The form has to have one file, in the field "${FIELD}". ${HOW_TO_UPLOAD}`)
  return { type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}

export const HOW_TO_UPLOAD = `Send an image with: curl -F ${FIELD}=@photo.jpg <address>/images`

const isImageType = (type: string): type is ImageType => IMAGE_TYPES.includes(type as ImageType)
