/** Pipeline badges: the status and the coverage of a branch as small images. */
import type { App } from '../../../app.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { coverageOfJob, statusOfRef, succeededOfRef } from './badges.queries.ts'

/** The text of a badge, in the usual words and colors. */
export interface StatusBadge {
  key: string
  value: string
  /** A CSS color. */
  color: string
  value_width: number
}

const colors: Readonly<Record<string, string>> = { success: '#4c1', failed: '#e05d44', running: '#dfb317', pending: '#dfb317' }
const unknownColor = '#9f9f9f'

/** The status of the newest pipeline for the tip of a branch; `unknown` if there is none. One statement. */
export async function pipelineBadge(app: App, repo: Repo, project_id: number, ref: string): Promise<StatusBadge> {
  const sha = await resolveCommit(repo, `refs/heads/${ref}`)
  const [found] = sha === null ? [] : await statusOfRef(app.db, project_id, ref, sha)
  const status = found?.status ?? 'unknown'
  return { key: 'pipeline', value: status === 'success' ? 'passed' : status, color: colors[status] ?? unknownColor, value_width: 54 }
}

/** In percent, of the newest successful pipeline of a branch, or of one of its jobs. At most two statements. */
export async function coverageBadge(app: App, project_id: number, ref: string, job: string | undefined): Promise<StatusBadge> {
  const [pipeline] = await succeededOfRef(app.db, project_id, ref)
  const [ofJob] = pipeline && job ? await coverageOfJob(app.db, pipeline.id, job) : []
  const coverage = job ? (ofJob?.coverage ?? null) : (pipeline?.coverage ?? null)
  if (coverage === null) return { key: 'coverage', value: 'unknown', color: unknownColor, value_width: 58 }
  const color = coverage >= 95 ? '#4c1' : coverage >= 90 ? '#a3c51c' : coverage >= 75 ? '#dfb317' : '#e05d44'
  return { key: 'coverage', value: `${coverage.toFixed(2)}%`, color, value_width: 54 }
}

const key_width = 62
const height = 20

/** The SVG image, without scripts, fonts or links. It contains no text of users. */
export function drawBadge({ key, value, color, value_width }: StatusBadge): string {
  const width = key_width + value_width
  const text = (content: string, middle: number) => `<text x="${middle}" y="14" text-anchor="middle">${content}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${key}: ${value}">
<title>${key}: ${value}</title>
<rect width="${key_width}" height="${height}" fill="#555"/><rect x="${key_width}" width="${value_width}" height="${height}" fill="${color}"/>
<g fill="#fff" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">${text(key, key_width / 2)}${text(value, key_width + value_width / 2)}</g>
</svg>
`
}
