/** Wikis that belong to a transferred project: copied to a fork, written to an archive, read from one. */
import type { Readable } from 'node:stream'
import { findWiki, mayCloneWiki, type WikiHome } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { readHead, setHead } from '../../../git/refs/head.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { readBundle } from '../../../git/transfer/bundle.ts'
import { copyRepository } from '../../../git/transfer/mirror.ts'
import { beginWith } from '../../../git/transfer/staged-import.ts'
import { recordWikiPush } from '../../repository/pushes/pushes.ts'
import { tipOf } from './page-index.ts'
import { openOrCreateWiki } from './wikis.service.ts'

interface CopyOptions {
  /** The user it is done for: a wiki that they may not clone is left out. */
  user: User
  /** Whether both may share the files of their packs. */
  share: boolean
  signal?: AbortSignal | undefined
}

/** Copies the wiki of one project to the empty one of another. Safe to repeat. */
export async function copyWiki(app: App, from: WikiHome, to: WikiHome, { user, share, signal }: CopyOptions): Promise<void> {
  const source = mayCloneWiki(from, user) ? await wikiWithPages(app, from) : null
  if (source === null) return
  const wiki = await openOrCreateWiki(app, to)
  const repo = app.git.openWiki(wiki.id)
  if ((await tipOf(repo)) !== null) return
  await copyRepository(source, repo, { share, signal })
  await setHead(repo, await readHead(source))
  await recordWikiPush(app, { wiki_id: wiki.id, user_id: user.id }, [], null)
}

/** The repository of the wiki; null if nothing was ever written to it. */
export async function wikiWithPages(app: App, home: WikiHome): Promise<Repo | null> {
  const found = await findWiki(app.db, home)
  const repo = found?.pushed_at ? app.git.openWiki(found.id) : null
  return repo && (await tipOf(repo)) !== null ? repo : null
}

/** Fills the wiki of a project from a bundle. Safe to repeat. Throws `invalid` if it isn't a git bundle. */
export async function restoreWiki(
  app: App,
  home: WikiHome,
  { open, user_id, signal }: { open: (start: number) => Readable; user_id: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const wiki = await openOrCreateWiki(app, home)
  const repo = app.git.openWiki(wiki.id)
  const found = await readBundle(repo, open, signal)
  // Refs of the service itself must not come from an archive.
  const refs = new Map([...found].filter(([ref]) => /^refs\/(heads|tags)\//.test(ref)))
  if (await beginWith(repo, refs, [])) await recordWikiPush(app, { wiki_id: wiki.id, user_id }, [], null)
}
