/** Prepares writes to repositories and files of projects, so that they succeed. */
import { makeUpload } from '../../support/fixtures/given-files.ts'
import type { TestUser } from '../../support/forge.ts'
import { git, gitWriting } from '../../support/git.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared } from './writes.ts'

let counter = 0

export function repositoryWrites(
  fixtures: ContractFixtures,
  idOf: (path: string, body: unknown, user?: TestUser) => Promise<string>,
): Prepared {
  const { forge, insider, project } = fixtures
  return {
    'DELETE /projects/:id/uploads/:upload_id': async () => ({ values: await makeUpload(forge, insider, project) }),
    'DELETE /projects/:id/uploads/:secret/:filename': async () => ({ values: await makeUpload(forge, insider, project) }),
    async 'PUT /projects/:id/repository/submodules/:submodule'() {
      const branch = `fresh-file-${++counter}`
      const tree = await gitWriting(project.dir, `160000 commit ${'5'.repeat(40)}\tmodule\n`, 'mktree')
      await git(project.dir, 'branch', branch, await git(project.dir, 'commit-tree', '-m', 'Submodule', tree.trim()))
      return { body: { branch, commit_sha: fixtures.values.commit_sha } }
    },
    'POST /projects/:id/repository/changelog': () => ({ body: { version: '1.0.0', from: 'v1', file: `fresh-file-${++counter}` } }),
    'POST /projects/:id/repository/files/:file_path': () => ({ values: { file_path: `fresh-file-${++counter}` } }),
    async 'PATCH /projects/:id/protected_branches/:branch'() {
      await forge.as(forge.root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
      return { body: { allow_force_push: false } }
    },
    async 'POST /projects/:id/repository/commits/:sha/cherry_pick'() {
      const actions = [{ action: 'create', file_path: `fresh-file-${++counter}`, content: 'text' }]
      const body = { branch: `fresh-file-${++counter}`, start_branch: 'main', commit_message: 'Side', actions }
      return { values: { sha: await idOf(`/projects/${project.id}/repository/commits`, body) } }
    },
  }
}
