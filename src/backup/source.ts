/** The source of a backup: a data folder and its database, beside the server that uses them. */

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { requireCurrent } from '../db/migrate.ts'
import type { Tables } from '../db/tables.ts'
import { StartRefused } from '../failure.ts'
import { type Git, hashedPath, hashedWikiPath, openGit, type Repo } from '../git/repository/repository.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { openStore } from '../store/store.ts'

export interface Source {
  home: string
  /** As in `openDatabase`. */
  location: string
  db: Kysely<Tables>
  git: Git
  store: ObjectStore
  close: () => Promise<void>
}

export function databaseLocation({ database_url, home }: Config): string {
  return database_url ?? join(home, 'gitstead.sqlite')
}

/** Throws StartRefused if there is no data folder, or one of another version. Writes nothing into it. */
export async function openSource(config: Config): Promise<Source> {
  const location = databaseLocation(config)
  const file = config.database_url === null ? location : config.home
  const found = await stat(file).catch(() => null)
  if (!found) throw new StartRefused(`there is nothing to back up: ${file} does not exist (GITSTEAD_HOME names the data folder)`)
  const db = openDatabase(location)
  try {
    await requireCurrent(db)
    const [{ git, close }, store] = await Promise.all([openOwnGit(), openStore({ home: config.home, bucket: config.s3 })])
    return {
      home: config.home,
      location,
      db,
      git,
      store,
      async close() {
        store.close()
        await close()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/**
 * Git with a configuration of its own. That of the data folder belongs to the user that the server runs as: rewritten by root, it would
 * become unreadable for the server.
 */
export async function openOwnGit(): Promise<{ git: Git; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-'))
  // Several processes are started for each repository.
  const git = await openGit(folder, { by_fork_server: true })
  return {
    git,
    async close() {
      git.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The owner of a repository: a project or, if there is a `wiki_id`, a wiki. */
export interface RepositoryOwner {
  /** Zero for a wiki. */
  project_id: number
  wiki_id?: number
}

/** The path of a repository, in a data folder or a generation. */
export function repositoryIn(git: Git, folder: string, { project_id, wiki_id }: RepositoryOwner): Repo {
  return { dir: join(folder, 'repositories', wiki_id === undefined ? hashedPath(project_id) : hashedWikiPath(wiki_id)), git }
}

/** For messages: `project 12`, `wiki 3`. */
export function ownerName({ project_id, wiki_id }: RepositoryOwner): string {
  return wiki_id === undefined ? `project ${project_id}` : `wiki ${wiki_id}`
}
