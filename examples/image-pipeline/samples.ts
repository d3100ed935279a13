/** Images to upload, made here and the same each time: good ones, and one for each way in which an image can be bad. */
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import type { ImageType } from './limits.js'

export interface Sample {
  readonly name: string
  readonly type: ImageType
  readonly bytes: Buffer
}

export async function samples(): Promise<Sample[]> {
  const harbor = await picture(640, 480, 200).png().toBuffer()
  const tower = await picture(700, 1_100, 20).jpeg().toBuffer()
  return [
    { name: 'sunrise.jpg', type: 'image/jpeg', bytes: await picture(1_600, 1_000, 30).jpeg().toBuffer() },
    { name: 'harbor.png', type: 'image/png', bytes: harbor },
    { name: 'tower.jpg', type: 'image/jpeg', bytes: tower },
    { name: 'lagoon.webp', type: 'image/webp', bytes: await picture(1_200, 800, 170).webp().toBuffer() },
    { name: 'upright.jpg', type: 'image/jpeg', bytes: await upright() },
    { name: 'dot.gif', type: 'image/gif', bytes: await picture(40, 30, 300).gif().toBuffer() },
    { name: 'corrupt.jpg', type: 'image/jpeg', bytes: tower.subarray(0, 2_000) },
    { name: 'no-image.png', type: 'image/png', bytes: Buffer.from('this is no picture') },
    { name: 'wrong-type.png', type: 'image/png', bytes: tower },
    { name: 'bomb.png', type: 'image/png', bytes: bomb(20_000) },
  ]
}

/** Uploaded apart from the others: what happens to them is part of the tour. */
export async function touredSamples(): Promise<{ busy: Sample; unwanted: Sample }> {
  return {
    busy: { name: 'regatta.png', type: 'image/png', bytes: await picture(800, 600, 100).png().toBuffer() },
    unwanted: {
      name: 'unwanted.png',
      type: 'image/png',
      bytes: await picture(500, 500, 60).png().toBuffer(),
    },
  }
}

/** A sky of some hue above a sea, with a sun. */
function picture(width: number, height: number, hue: number): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="hsl(${hue},70%,35%)"/><stop offset="1" stop-color="hsl(${hue + 40},80%,75%)"/></linearGradient></defs>
<rect width="100%" height="100%" fill="url(#sky)"/><circle cx="70%" cy="40%" r="${Math.min(width, height) / 8}" fill="hsl(50,95%,70%)"/>
<rect y="65%" width="100%" height="35%" fill="hsl(${hue + 180},45%,30%)"/></svg>`
  return sharp(Buffer.from(svg))
}

/** Stored lying on its side, with the note of the camera that says so: 6 is a quarter turn. */
async function upright(): Promise<Buffer> {
  const lying = await picture(600, 900, 250).png().toBuffer()
  return sharp(lying).rotate(270).jpeg().withMetadata({ orientation: 6 }).toBuffer()
}

/** A decompression bomb: a square PNG in black and white, small as a file. */
function bomb(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // One bit for each pixel.
  header.writeUInt8(1, 8)
  const rows = Buffer.alloc((side / 8 + 1) * side)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
