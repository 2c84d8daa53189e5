/** A picture with three bytes per pixel, as in binary PPM files. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly dots: Uint8Array
}

/** Returns null when the file is not a binary PPM picture. */
export function parsePicture(file: Uint8Array): Picture | null {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
    Buffer.from(file.subarray(0, 64)).toString('latin1'),
  )
  if (!head) return null
  const [width, height] = [Number(head[1]), Number(head[2])]
  const dots = file.subarray(head[0].length)
  return dots.length === width * height * 3 ? { width, height, dots } : null
}

export function encode({ width, height, dots }: Picture): Uint8Array {
  return Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), dots])
}

/** Scales by the nearest pixel; a smaller picture is returned unchanged. */
export function shrinkTo(picture: Picture, width: number): Picture {
  if (picture.width <= width) return picture
  const height = Math.max(1, Math.round((picture.height * width) / picture.width))
  const dots = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = [scaled(x, width, picture.width), scaled(y, height, picture.height)]
      const at = (fromY * picture.width + fromX) * 3
      dots.set(picture.dots.subarray(at, at + 3), (y * width + x) * 3)
    }
  return { width, height, dots }
}

function scaled(at: number, size: number, fromSize: number): number {
  return Math.floor((at * fromSize) / size)
}
