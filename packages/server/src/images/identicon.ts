import { createHash } from 'node:crypto'

const GRID = 5
const CELL = 12
const MARGIN = 10

/**
 * The same SVG for the same id: a symmetric grid of five by five cells in one of 360 hues, 80 by 80 pixels, without
 * style or script.
 */
export function generateIdenticon(id: string): string {
  const seed = createHash('sha256').update(id).digest()
  const hue = seed.readUInt16BE(0) % 360
  const side = 2 * MARGIN + GRID * CELL
  const cells = listFilledCells(seed).map(
    ([x, y]) => `<rect x="${MARGIN + x * CELL}" y="${MARGIN + y * CELL}" width="${CELL}" height="${CELL}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}">`,
    `<rect width="${side}" height="${side}" fill="hsl(${hue},45%,88%)"/>`,
    `<g fill="hsl(${hue},50%,42%)" shape-rendering="crispEdges">${cells.join('')}</g></svg>`,
  ].join('')
}

/** One byte of the seed decides about a cell and its mirror image in the right half. */
function listFilledCells(seed: Buffer): [x: number, y: number][] {
  const filled: [number, number][] = []
  for (let y = 0; y < GRID; y++) {
    for (let x = 0; x < GRID; x++) {
      const column = Math.min(x, GRID - 1 - x)
      if (((seed[2 + y * 3 + column] ?? 0) & 1) === 1) filled.push([x, y])
    }
  }
  return filled
}
