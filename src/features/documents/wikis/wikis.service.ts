/** The repository of a wiki, created when it is first needed. */
import { findWiki, type WikiHome } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Wiki } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { createRepository, removeRepository } from '../../../git/repository/repository.ts'
import { insertWiki, isHomeThere, wikiById } from './wikis.queries.ts'

/** Throws 404 if the project or group is removed meanwhile. */
export async function openOrCreateWiki(app: App, home: WikiHome): Promise<Wiki> {
  const found = await findWiki(app.db, home)
  const wiki = found ?? (await createWiki(app, home))
  const repo = app.git.openWiki(wiki.id)
  // Also for a wiki that was found: a process may have died after creating the row, before the repository.
  await createRepository(repo, app.config.default_branch)
  // The removal of the project may have looked for the files before they existed.
  if (!found && !(await wikiById(app.db, wiki.id))) {
    await removeRepository(repo)
    throw notFound(home.kind === 'project' ? 'Project' : 'Group')
  }
  return wiki
}

async function createWiki(app: App, home: WikiHome): Promise<Wiki> {
  await inTransaction(app.db, async (tx) => {
    if (await isHomeThere(tx, home)) await insertWiki(tx, home)
  })
  const wiki = await findWiki(app.db, home)
  if (!wiki) throw notFound(home.kind === 'project' ? 'Project' : 'Group')
  return wiki
}
