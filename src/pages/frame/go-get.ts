/** The page that `go get` reads to find the repository of an import path. */
import { findProject, type LocatedProject } from '../../access/find.ts'
import { spacesAt } from '../../access/spaces.ts'
import type { Viewer } from '../../access/visible.ts'
import { httpCloneUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import { nullIfMissing } from '../../failure.ts'
import { html } from '../../html/html.ts'
import { segmentsIn } from './patterns.ts'

/** The maximum depth of groups, and a project. */
const maxParts = 22

/**
 * For an import path on this instance: the project is the longest prefix of the path that the viewer can see. If there is none, the first
 * two parts are named, so that a hidden project looks like one that doesn't exist, and git asks for credentials. Null for paths too short
 * for a project.
 */
export async function goGetPage({ db, config }: App, path: string, viewer: Viewer): Promise<string | null> {
  const parts = (segmentsIn(path) ?? []).map((part) => part.replace(/\.git$/, ''))
  if (parts.length < 2 || parts.includes('')) return null
  const known = await projectAbove(db, parts, viewer)
  const full_path = known?.full_path ?? parts.slice(0, 2).join('/')
  const root = `${new URL(config.url).host}/${full_path}`
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${root}</title>
        <meta name="go-import" content="${root} git ${httpCloneUrl(config, full_path)}">
      </head>
      <body>go get ${root}</body>
    </html>
  `.text
}

async function projectAbove(db: App['db'], parts: readonly string[], viewer: Viewer): Promise<LocatedProject | null> {
  const paths = Array.from({ length: Math.min(parts.length, maxParts) - 1 }, (_, index) => parts.slice(0, index + 2).join('/'))
  const spaces = await spacesAt(db, paths)
  // Nothing but its own pages is below a project, so at most one exists.
  const path = paths.find((one) => spaces.get(one.toLowerCase())?.kind === 'project')
  const found = path === undefined ? null : await findProject(db, path, viewer).catch(nullIfMissing)
  return found?.project ?? null
}
