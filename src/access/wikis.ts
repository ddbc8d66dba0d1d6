/** Wikis of projects and groups: who may read, clone and write them, and the row that names the repository. */
import { isMember } from '../access/levels.ts'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Wiki } from '../db/tables.ts'
import { mayUse } from './features.ts'
import type { LocatedGroup, LocatedProject } from './find.ts'
import { isOpenTo } from './levels.ts'
import { may } from './permissions.ts'
import type { Viewer } from './visible.ts'

/** The project or group that a wiki belongs to, and the level of the caller in it. */
export type WikiHome = { kind: 'project'; row: LocatedProject; level: number } | { kind: 'group'; row: LocatedGroup; level: number }

/** Whether a user who can see the project or group may read its pages. Users who only see a group because of a project in it may not. */
export function mayReadWiki(home: WikiHome, viewer: Viewer): boolean {
  if (home.kind === 'project') return mayUse('wiki', { project: home.row, level: home.level })
  return isMember(home.level) || isOpenTo(home.row.visibility, viewer)
}

/** Whether they may clone it: guests of a private project can read its pages but not its history, as with code. */
export function mayCloneWiki(home: WikiHome, viewer: Viewer): boolean {
  return mayReadWiki(home, viewer) && (may('read_code', home.level) || isOpenTo(home.row.visibility, viewer))
}

/** Whether they may write pages and push. */
export function mayWriteWiki(home: WikiHome, viewer: Viewer): boolean {
  return mayReadWiki(home, viewer) && may('write_wikis', home.level) && !isArchived(home)
}

/** Whether they may delete pages. */
export function mayDeletePages(home: WikiHome, viewer: Viewer): boolean {
  return mayWriteWiki(home, viewer) && may('delete_wiki_pages', home.level)
}

export function isArchived({ row }: WikiHome): boolean {
  return row.archived
}

const wikiOfProject = prepared((db: Db, id: number) => db.selectFrom('wikis').selectAll().where('project_id', '=', id))
const wikiOfGroup = prepared((db: Db, id: number) => db.selectFrom('wikis').selectAll().where('namespace_id', '=', id))

/** The wiki of the project or group; null if nothing was ever written to it. */
export async function findWiki(db: Db, { kind, row }: Pick<WikiHome, 'kind'> & { row: { id: number } }): Promise<Wiki | null> {
  const [found] = await (kind === 'project' ? wikiOfProject : wikiOfGroup)(db, row.id)
  return found ?? null
}

/** Path of the wiki repository, without `.git`. */
export const wikiPath = ({ full_path }: { full_path: string }): string => `${full_path}.wiki`
