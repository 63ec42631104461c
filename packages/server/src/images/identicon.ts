import { createHash } from 'node:crypto'

const GRID = 5
const CELL = 12
const MARGIN = 10

/**
 * The same SVG for the same id: a symmetric grid of five by five cells in one of 360 hues, 80 by 80 pixels, without
 * style or script.
 */
export function generateIdenticon(id: string): string {
  const { side, cell, hue, corners } = identiconOf(id)
  const cells = corners.map(([x, y]) => `<rect x="${x}" y="${y}" width="${cell}" height="${cell}"/>`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}">`,
    `<rect width="${side}" height="${side}" fill="hsl(${hue},45%,88%)"/>`,
    `<g fill="hsl(${hue},50%,42%)" shape-rendering="crispEdges">${cells.join('')}</g></svg>`,
  ].join('')
}

/** In pixels: the side of the picture and of a cell, and the upper left corners of the cells that are filled. */
export function identiconOf(id: string) {
  const seed = createHash('sha256').update(id).digest()
  const corners = listFilledCells(seed).map(([x, y]) => [MARGIN + x * CELL, MARGIN + y * CELL] as const)
  return { side: 2 * MARGIN + GRID * CELL, cell: CELL, hue: seed.readUInt16BE(0) % 360, corners }
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
