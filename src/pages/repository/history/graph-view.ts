/** The commit graph as an image, drawn by the server; the table beside it has the same information as text. */
import { type Html, html } from '../../../html/html.ts'
import { type Graph, maxLanes } from './lanes.ts'

/** In pixels; must match the style sheet. */
const row_px = 32
const lane_px = 14
const colours = 6

const x = (lane: number) => Math.min(lane, maxLanes) * lane_px + lane_px / 2 + 2
/** Below the header of the table. */
const y = (row: number) => (row + 1) * row_px + row_px / 2

export function graphPicture({ rows, width }: Graph): Html {
  const across = (Math.min(width, maxLanes) + 1) * lane_px + 4
  const down = (rows.length + 1) * row_px
  const lines = rows.flatMap(({ edges }, row) => edges.map(({ from, to }) => lineOf(row, from, to)))
  const dots = rows.map(({ lane }, row) => html`<circle class="c${lane % colours}" cx="${x(lane)}" cy="${y(row)}" r="4"></circle>`)
  return html`
    <svg class="graph" aria-hidden="true" width="${across}" height="${down}" viewBox="0 0 ${across} ${down}">
      ${lines}
      ${dots}
    </svg>
  `
}

function lineOf(row: number, from: number, to: number): Html {
  const [x1, y1, x2, y2] = [x(from), y(row), x(to), y(row + 1)]
  const half = (y1 + y2) / 2
  const path = x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${y2}`
  return html`<path class="c${Math.max(from, to) % colours}" d="${path}"></path>`
}
