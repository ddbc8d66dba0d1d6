/** Charts as SVG from the server. Each has a table of its numbers, so the image itself only has a label. */

import { type Html, html } from '../../../html/html.ts'
import { number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'

export interface Bar {
  label: string
  /** Upwards. */
  value: number
  /** Downwards from the same line, such as deleted lines. */
  below?: number
}

const width = 600
const height = 96

/** Bars side by side, over the full width. `title` is read by screen readers. */
export function barChart(title: string, bars: readonly Bar[]): Html {
  const max = Math.max(1, ...bars.map(({ value }) => value))
  const maxBelow = Math.max(0, ...bars.map(({ below = 0 }) => below))
  const axis = (height * max) / (max + maxBelow)
  const step = width / Math.max(1, bars.length)
  const size = step > 4 ? step - 1 : step
  const scale = height / (max + maxBelow)
  const rects = bars.map(({ label, value, below = 0 }, index) => {
    const x = rounded(index * step)
    const words = `${label}: ${number(value)}${maxBelow > 0 ? `, −${number(below)}` : ''}`
    return html`
      <g>
        <title>${words}</title>
        ${
          value > 0 &&
          html`
            <rect
              x="${x}"
              y="${rounded(axis - value * scale)}"
              width="${rounded(size)}"
              height="${rounded(value * scale)}"
            ></rect>
          `
        }
        ${
          below > 0 &&
          html`
            <rect
              class="below"
              x="${x}"
              y="${rounded(axis)}"
              width="${rounded(size)}"
              height="${rounded(below * scale)}"
            ></rect>
          `
        }
      </g>
    `
  })
  return html`
    <figure class="chart">
      <svg role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${rects}</svg>
      <figcaption>
        <span>${bars[0]?.label ?? ''}</span>
        <span>${maxBelow > 0 ? t`at most ${number(max)} and −${number(maxBelow)}` : t`at most ${number(max)}`}</span>
        <span>${bars.at(-1)?.label ?? ''}</span>
      </figcaption>
    </figure>
  `
}

/** A line without labels, beside its numbers. */
export function sparkline(values: readonly number[]): Html {
  const max = Math.max(1, ...values)
  const points = values.map(
    (value, index) => `${rounded((index * 100) / Math.max(1, values.length - 1))},${rounded(19 - (value * 18) / max)}`,
  )
  return html`
    <svg class="spark" aria-hidden="true" viewBox="0 0 100 20" width="100" height="20" preserveAspectRatio="none">
      <polyline points="${points.join(' ')}"></polyline>
    </svg>
  `
}

/** Shares of a whole as one bar and a list; the sum of `percent` is about 100. */
export function shareBar(title: string, shares: ReadonlyArray<{ label: string; percent: number }>): Html {
  let at = 0
  const rects = shares.map(({ label, percent }, index) => {
    const x = at
    at += percent
    return html`
      <rect class="share-${index % 6}" x="${rounded(x)}" y="0" width="${rounded(percent)}" height="4"><title>
          ${label}: ${percent} %
        </title></rect>
    `
  })
  return html`<svg class="shares" role="img" aria-label="${title}" viewBox="0 0 100 4" preserveAspectRatio="none">${rects}</svg>`
}

/** The numbers of a chart, which can be opened beside it. `title` is that of the chart. */
export function chartTable(title: string, columns: readonly string[], rows: ReadonlyArray<readonly [string, ...number[]]>): Html {
  return html`
    <details class="numbers">
      <summary>The numbers</summary>
      <div class="numbers-table" tabindex="0" role="region" aria-label="Numbers: ${title}">
        <table>
          <thead>
            <tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr>
          </thead>
          <tbody>
            ${rows.map(
              ([label, ...values]) => html`
                <tr>
                  <th scope="row">${label}</th>
                  ${values.map((value) => html`<td>${number(value)}</td>`)}
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </details>
  `
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
