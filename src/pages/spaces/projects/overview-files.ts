/** The root of the default branch on the page of a project, with its README; for an empty repository, instructions to fill it. */

import { canPush, type ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Reader } from '../../../features/discussion/references/references.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { liveUpdates } from '../../frame/live.ts'
import { emptyState } from '../../frame/parts.ts'
import { codeFacts, refSwitcher } from '../../repository/files/crumbs.ts'
import { changesInTime } from '../../repository/files/folder-parts.ts'
import { readmeOf } from '../../repository/files/readme.ts'
import { submoduleAddresses } from '../../repository/files/submodules.ts'
import { folderTools, mayChangeFiles } from '../../repository/files/toolbar.ts'
import { folderAt, folderTable } from '../../repository/files/tree.ts'
import { commitLine } from '../../repository/history/commits.ts'
import { emptyRepository } from './empty-repository.ts'
import * as say from './sentences.ts'

export interface Root {
  content: Html
  /** The files of the root; empty if the repository is empty. */
  rows: readonly ListedEntry[]
  /** The part of the page that adds the last commit of each file; null if the list has them already. */
  late: (() => Promise<Html>) | null
}

export async function rootOf(
  app: App,
  access: ProjectAccess,
  { repo, reader }: { repo: Repo; reader: Reader & { user: User | null } },
): Promise<Root> {
  const { project } = access
  const { default_branch: revision } = project
  const commit = revision === null ? null : await resolveCommit(repo, `refs/heads/${revision}`)
  if (revision === null || commit === null) {
    const howToFill = canPush(access) ? await emptyRepository(app, access, reader.user) : emptyState(say.emptyForReaders())
    // The first push shows itself.
    return { content: html`${howToFill}${liveUpdates('code', project.id, String(project.push_count), 'refresh')}`, rows: [], late: null }
  }
  const place = { revision, commit, path: '' }
  const [{ rows }, last] = await Promise.all([folderAt(repo, place), readCommit(repo, commit)])
  const [{ early, late }, readme, switcher, facts, isChangeable, line, submodules] = await Promise.all([
    changesInTime(app, { project, repo, place, rows }),
    readmeOf(app, { project, repo, place, rows, reader }),
    refSwitcher(repo, project, place, 'tree'),
    codeFacts(repo, project, place),
    mayChangeFiles(app, reader, place),
    commitLine(app, { project, user: reader.user }, last),
    submoduleAddresses(app, repo, { commit, project: project.full_path, rows }),
  ])
  const content = html`
    <div class="place">${switcher}${facts}${folderTools(app, project, place, isChangeable)}</div>
    ${line}${folderTable(project, place, { rows, changes: early, submodules })}${readme}
  `
  return { content, rows, late }
}
