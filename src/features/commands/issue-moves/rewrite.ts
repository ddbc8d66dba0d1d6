/** Rewrites the texts of a moved issue: what they refer to stays in its project, so references get the path of that project. */
import type { LocatedProject } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { projectReference } from '../../discussion/notes/notes.ts'
import { type Resolved, resolveReferences } from '../../discussion/references/references.ts'
import { type FoundReference, findReferences, proseOf, type ReferenceKind } from '../../instance/markdown/markdown.ts'

/** The projects that a text moves from and to. */
export interface Route {
  config: Config
  /** The user who moves it: references to things they can't see are not changed. */
  user: User
  from: LocatedProject
  to: LocatedProject
}

/** Longer texts have no links, so nothing in them is rewritten. */
const maxRead_chars = 64 * 1024
const kinds: ReadonlySet<ReferenceKind> = new Set(['issue', 'merge_request', 'snippet', 'label', 'milestone'])
const upload = /(?<=[(\s"']|^)\/uploads\/(?=[0-9a-f]{32}\/)/gm

/** The texts as they must read in the other project, in order: at most nine statements, regardless of their number. */
export async function rewriteTexts(tx: Tx, route: Route, texts: string[]): Promise<string[]> {
  const { config, user, from } = route
  const found = texts.map((text) => [...findReferences(proseOf(text.slice(0, maxRead_chars)), config.url)].filter(isRelative))
  const all = found.flat()
  const resolved = all.length === 0 ? () => null : await resolveReferences(tx, user, from, all, kinds)
  return texts.map((text, index) => withUploads(route, withPaths(route, text, found[index] ?? [], resolved)))
}

/** Whether its meaning depends on the project of the text. */
function isRelative({ kind, path, isLink }: FoundReference): boolean {
  return kinds.has(kind) && !isLink && !path?.includes('/')
}

function withPaths({ from, to }: Route, text: string, references: FoundReference[], resolved: Resolved): string {
  let written = ''
  let end = 0
  for (const reference of references) {
    if (resolved(reference) === null) continue
    const { path, start } = reference
    const place = path === null ? from.full_path : `${from.namespace_full_path}/${path}`
    written += text.slice(end, start) + projectReference(place, to.full_path)
    end = start + (path?.length ?? 0)
  }
  return written + text.slice(end)
}

/** Uploaded files stay with their project. */
function withUploads({ config, from }: Route, text: string): string {
  return text.includes('/uploads/') ? text.replace(upload, `${projectUrl(config, from)}/uploads/`) : text
}
