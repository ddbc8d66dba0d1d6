/** The graph of a pipeline: its stages as columns of jobs, and lines from each job to those that need it. */
import { type Html, html } from '../../../html/html.ts'

/** A job in the graph. */
export interface GraphJob {
  name: string
  stage: string
  /** Names of jobs; null means all jobs of the earlier stages. */
  needs: readonly string[] | null
  /** Its row in the column: state, name, button. */
  content: Html
}

/** In em; must match `.pipeline-graph` in the style sheet. */
const column = { width: 15, gap: 3 }
const row = { height: 2.5, gap: 0.5, top: 2.5 }

/** More lines would be illegible; the list of jobs names the needs. */
const maxEdges = 400

export interface Stage<Job> {
  name: string
  jobs: Job[]
}

/** Ordered by the first job of each. */
export function stagesIn<Job extends { stage: string }>(jobs: readonly Job[]): Stage<Job>[] {
  const found = new Map<string, Job[]>()
  for (const job of jobs) found.set(job.stage, [...(found.get(job.stage) ?? []), job])
  return Array.from(found, ([name, those]) => ({ name, jobs: those }))
}

/** It scrolls within its box, as a pipeline may have many stages. */
export function graphOf(jobs: readonly GraphJob[], statusOfStage: (jobs: readonly string[]) => Html | null): Html {
  const stages = stagesIn(jobs)
  return html`
    <div class="pipeline-graph" role="region" aria-label="Stages" tabindex="0">
      <div>
        ${edges(stages)}
        <ol class="stage-columns">
          ${stages.map(
            ({ name, jobs: those }) =>
              html`
                <li id="stage-${name}">
                  <h2><bdi>${name}</bdi> ${statusOfStage(those.map((job) => job.name))}</h2>
                  <ul>${those.map(({ content }) => html`<li>${content}</li>`)}</ul>
                </li>
              `,
          )}
        </ol>
      </div>
    </div>
  `
}

function edges(stages: readonly Stage<GraphJob>[]): Html | null {
  const places = new Map<string, { x: number; y: number }>()
  for (const [x, { jobs }] of stages.entries()) for (const [y, { name }] of jobs.entries()) places.set(name, { x, y })
  const lines = stages.flatMap(({ jobs }) =>
    jobs.flatMap(({ name, needs }) =>
      (needs ?? []).flatMap((needed) => {
        const [from, to] = [places.get(needed), places.get(name)]
        return from && to ? [lineBetween(from, to)] : []
      }),
    ),
  )
  if (lines.length === 0 || lines.length > maxEdges) return null
  const most = Math.max(...stages.map(({ jobs }) => jobs.length))
  const width = stages.length * (column.width + column.gap) - column.gap
  const height = row.top + most * (row.height + row.gap)
  return html`
    <svg class="edges" aria-hidden="true" width="${width}em" height="${height}em" viewBox="0 0 ${width} ${height}">
      ${lines.map((line) => html`<path d="${line}"></path>`)}
    </svg>
  `
}

/** From the right side of one job to the left side of the other; within a column, around its right side. */
function lineBetween(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const left = (x: number) => x * (column.width + column.gap)
  const middle = (y: number) => row.top + y * (row.height + row.gap) + row.height / 2
  const [x1, y1, x2, y2] = [left(from.x) + column.width, middle(from.y), left(to.x), middle(to.y)]
  if (from.x === to.x) return `M${x1} ${y1}h.75v${y2 - y1}h-.75`
  const bend = column.gap / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}
