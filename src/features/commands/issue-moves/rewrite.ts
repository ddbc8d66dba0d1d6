/** Texts of an issue that moves: what they refer to stays where it is, so that references get the path of its project. */
import type { LocatedProject } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { projectReference } from '../../discussion/notes/notes.ts'
import { type Resolved, resolveReferences } from '../../discussion/references/references.ts'
import { type FoundReference, findReferences, proseOf, type ReferenceKind } from '../../instance/markdown/markdown.ts'

/** A text and where it goes. */
export interface Route {
  config: Config
  /** The user who moves it: references to what they can't see stay as they are. */
  user: User
  from: LocatedProject
  to: LocatedProject
}

/** Beyond it nothing is a link, and nothing is rewritten. */
const maxRead_chars = 64 * 1024
const kinds: ReadonlySet<ReferenceKind> = new Set(['issue', 'merge_request', 'snippet', 'label', 'milestone'])
const upload = /(?<=[(\s"']|^)\/uploads\/(?=[0-9a-f]{32}\/)/gm

/** The texts as they read in the other project, in their order: at most nine statements, however many there are. */
export async function rewriteTexts(tx: Tx, route: Route, texts: string[]): Promise<string[]> {
  const { config, user, from } = route
  const found = texts.map((text) => [...findReferences(proseOf(text.slice(0, maxRead_chars)), config.url)].filter(isRelative))
  const all = found.flat()
  const resolved = all.length === 0 ? () => null : await resolveReferences(tx, user, from, all, kinds)
  return texts.map((text, index) => withUploads(route, withPaths(route, text, found[index] ?? [], resolved)))
}

/** Whether what it means depends on the project of its text. */
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

/** Files stay with the project to which they were uploaded. */
function withUploads({ config, from }: Route, text: string): string {
  return text.includes('/uploads/') ? text.replace(upload, `${projectUrl(config, from)}/uploads/`) : text
}
