/**
 * Programs of npm that review and propose changes, unmodified: danger and renovate. The second is not among the packages of this folder:
 * it is large, and under the AGPL. `npm install --no-save --ignore-scripts --prefix test/clients/npm renovate@39.264.0` adds it.
 */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { clone } from '../scripts/git/wire.ts'
import type { Forge, TestProject, TestUser } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTestIf } from './client-test.ts'
import { packages, run } from './npm-programs.ts'

const installed = (name: string) => clientTestIf(existsSync(join(packages, name)))

interface Note {
  body: string
  system: boolean
  position?: { new_path: string; new_line: number }
}

const notesOf = async (forge: Forge, { id }: TestProject): Promise<Note[]> =>
  ((await forge.as(forge.root).get(`/projects/${id}/merge_requests/1/notes?sort=asc`)).body as Note[]).filter(({ system }) => !system)

async function danger(forge: Forge, project: TestProject, user: TestUser, rules: string): Promise<void> {
  const dir = await clone(await forge.remote(project, user))
  await git(dir, 'switch', '--quiet', 'topic')
  await writeFile(join(dir, 'dangerfile.js'), rules)
  const env = {
    PATH: process.env.PATH,
    HOME: await forge.folder(),
    GITLAB_CI: 'true',
    CI_MERGE_REQUEST_IID: '1',
    CI_PROJECT_PATH: project.full_path,
    CI_COMMIT_SHA: await git(dir, 'rev-parse', 'HEAD'),
    DANGER_GITLAB_HOST: await forge.url(),
    DANGER_GITLAB_API_TOKEN: user.token,
  }
  await run('danger/distribution/commands/danger.js', ['ci'], { cwd: dir, env })
}

installed('danger')(
  'danger reads a merge request, says what it thinks, changes it at the next run, and takes it back',
  { ...inFullRun('5 s of processor. The same endpoints are called in replies.test.ts.'), timeout: 180_000 },
  async (forge) => {
    const owner = await forge.user()
    const project = await forge.project({ owner, files: { 'a.txt': 'one\n' } })
    const actions = [
      { action: 'update', file_path: 'a.txt', content: 'two\n' },
      { action: 'create', file_path: 'b.txt', content: 'new\n' },
    ]
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change it', actions }
    expect((await forge.as(owner).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
    const sent = { source_branch: 'topic', target_branch: 'main', title: 'Change it', description: 'Short' }
    expect((await forge.as(owner).post(`/projects/${project.id}/merge_requests`, sent)).status).toBe(201)

    const shown = '[danger.gitlab.mr.title, ...danger.git.modified_files, ...danger.git.created_files].join(" ")'
    await danger(forge, project, owner, `message(${shown}); warn("Say more", "b.txt", 1)`)
    const first = await notesOf(forge, project)
    expect(first.map(({ body }) => body).join('\n')).toContain('Change it a.txt b.txt')
    expect(first.filter(({ position }) => position).map(({ position }) => [position?.new_path, position?.new_line])).toEqual([['b.txt', 1]])

    await danger(forge, project, owner, 'message("All is well")')
    const second = await notesOf(forge, project)
    expect([second.length, second[0]?.body.includes('All is well')]).toEqual([1, true])
    await danger(forge, project, owner, '')
    expect(await notesOf(forge, project)).toEqual([])
  },
)

async function renovate(forge: Forge, project: TestProject): Promise<string> {
  const dir = await forge.folder()
  await mkdir(join(dir, 'base'))
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    RENOVATE_PLATFORM: 'gitlab',
    RENOVATE_ENDPOINT: `${await forge.url()}/api/v4/`,
    RENOVATE_TOKEN: forge.root.token,
    RENOVATE_BASE_DIR: join(dir, 'base'),
    RENOVATE_GIT_AUTHOR: 'Renovate <renovate@example.com>',
    // Nothing is looked up elsewhere.
    RENOVATE_ENABLED_MANAGERS: '["custom.regex"]',
    RENOVATE_PR_HOURLY_LIMIT: '0',
    RENOVATE_ONBOARDING_NO_DEPS: 'enabled',
    // The addresses of the forge are those of its configuration, which no client here reaches.
    RENOVATE_GIT_URL: 'endpoint',
  }
  return run('renovate/dist/renovate.js', [project.full_path], { cwd: dir, env })
}

interface Request {
  iid: number
  title: string
  source_branch: string
  description: string
  labels: string[]
}

installed('renovate')(
  'renovate introduces itself, and proposes the new version of what a project depends on',
  { timeout: 300_000 },
  async (forge) => {
    const engine = await forge.project({ name: 'engine', visibility: 'public' })
    for (const tag of ['1.0.0', '1.1.0']) await git(engine.dir, 'tag', tag, 'main')
    const project = await forge.project({ files: { 'versions.txt': 'engine=1.0.0\n' } })
    const at = `/projects/${project.id}/merge_requests`
    const opened = async (): Promise<Request[]> => (await forge.as(forge.root).get(`${at}?state=opened`)).body

    const first = await renovate(forge, project)
    expect([
      first.split('\n').filter((line) => /"level":(50|60)/.test(line)),
      (await opened()).map(({ source_branch }) => source_branch),
    ]).toEqual([[], ['renovate/configure']])
    await forge.as(forge.root).put(`${at}/1/merge`, { should_remove_source_branch: true })
    const manager = {
      customType: 'regex',
      fileMatch: ['^versions\\.txt$'],
      matchStrings: ['engine=(?<currentValue>\\S+)'],
      depNameTemplate: 'engine',
      packageNameTemplate: `${await forge.url()}/${engine.full_path}.git`,
      datasourceTemplate: 'git-tags',
      versioningTemplate: 'semver',
    }
    const content = JSON.stringify({ customManagers: [manager], labels: ['dependencies'], dependencyDashboard: true })
    const file = { branch: 'main', content, commit_message: 'Configure renovate' }
    expect((await forge.as(forge.root).put(`/projects/${project.id}/repository/files/renovate.json`, file)).status).toBe(200)

    await renovate(forge, project)
    const [update, ...others] = await opened()
    expect([update?.title, update?.labels, others]).toEqual([expect.stringMatching(/engine to v?1\.1\.0/), ['dependencies'], []])
    expect(await git(project.dir, 'show', `${update?.source_branch}:versions.txt`)).toBe('engine=1.1.0')
    // The next run finds what it proposed, and proposes nothing twice.
    await renovate(forge, project)
    expect((await opened()).map(({ iid }) => iid)).toEqual([update?.iid])
  },
)
