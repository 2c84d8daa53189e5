/** The shapes of the timeline as SVG text. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function rect({ x, y, width, height }: Box, fill: string, title = '', opacity = 1): string {
  const inside = title === '' ? '' : `<title>${escaped(title)}</title>`
  const size = `width="${at(Math.max(0.5, width))}" height="${at(height)}"`
  const place = `x="${at(x)}" y="${at(y)}" ${size}`
  return `<rect ${place} fill="${fill}" opacity="${opacity}">${inside}</rect>`
}

export function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${at(x)}" y="${at(y)}" ${more}>${escaped(content)}</text>`
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  const ends = `x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"`
  return `<line ${ends} stroke="${stroke}" stroke-width="0.6"/>`
}

/** Draws many short vertical strokes as one path: thousands of elements would render slowly. */
export function ticks(xs: readonly number[], y: number, height: number, stroke: string): string {
  const path = xs.map((x) => `M${at(x)} ${at(y)}v${at(height)}`).join('')
  return `<path d="${path}" stroke="${stroke}" stroke-width="0.7" opacity="0.6" fill="none"/>`
}

/** Draws many dots as one path of round caps. */
export function dots(points: readonly (readonly [number, number])[], stroke: string): string {
  const path = points.map(([x, y]) => `M${at(x)} ${at(y)}h0`).join('')
  const round = 'stroke-width="2.4" stroke-linecap="round" opacity="0.55" fill="none"'
  return `<path d="${path}" stroke="${stroke}" ${round}/>`
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escaped(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
