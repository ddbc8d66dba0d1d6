/** Programs of npm that know nothing of us, unmodified: they release, they drive the API for assistants, they read our OpenAPI document. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { endpoints } from '../../src/features/index.ts'
import { clone, commit } from '../scripts/git/wire.ts'
import type { Forge, TestProject } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTestIf } from './client-test.ts'
import { packages, run } from './npm-programs.ts'

// Several hundred packages: `npm ci --prefix test/clients/npm` installs them, as .ci/run does.
const withPackages = clientTestIf(existsSync(packages))

/** It runs once what it needs is served. */
const withServed = (...needed: string[]) => clientTestIf(existsSync(packages) && needed.every(isServed))

const isServed = (name: string) => endpoints.some((one) => `${one.method} ${one.path}` === name)

const identity = {
  GIT_AUTHOR_NAME: 'Bot',
  GIT_AUTHOR_EMAIL: 'bot@example.com',
  GIT_COMMITTER_NAME: 'Bot',
  GIT_COMMITTER_EMAIL: 'bot@example.com',
}

/** A clone of a project with a package, whose remote takes the token of root. */
async function packageIn(forge: Forge): Promise<{ project: TestProject; dir: string; env: NodeJS.ProcessEnv }> {
  const manifest = { name: 'engine', version: '1.0.0', private: true }
  const project = await forge.project({ files: { 'package.json': `${JSON.stringify(manifest, null, 2)}\n`, 'README.md': '# Engine\n' } })
  const dir = await clone(await forge.remote(project, forge.root))
  const env = {
    PATH: process.env.PATH,
    HOME: await forge.folder(),
    ...identity,
    GITLAB_TOKEN: forge.root.token,
    GL_TOKEN: forge.root.token,
    GL_URL: await forge.url(),
    CI: 'true',
  }
  return { project, dir, env }
}

const releasesOf = async (forge: Forge, { id }: TestProject) => {
  const { status, body } = await forge.as(forge.root).get(`/projects/${id}/releases`)
  return {
    status,
    releases: (body as Array<{ tag_name: string; description: string }>).map(({ tag_name, description }) => [tag_name, description]),
  }
}

withServed('POST /projects/:id/releases')(
  'semantic-release makes a tag and a release of the commits since the last one',
  { ...inFullRun('2 s of processor. `@gitbeaker/rest` calls the endpoints for tags and releases.'), timeout: 180_000 },
  async (forge) => {
    const { project, dir, env } = await packageIn(forge)
    await git(dir, 'tag', 'v1.0.0')
    await git(dir, 'push', '--quiet', 'origin', 'v1.0.0')
    const config = {
      branches: ['main'],
      plugins: [
        '@semantic-release/commit-analyzer',
        '@semantic-release/release-notes-generator',
        [
          '@semantic-release/gitlab',
          { gitlabUrl: env.GL_URL, successComment: false, failComment: false, assets: [{ path: 'notes.txt', label: 'Notes' }] },
        ],
      ],
      repositoryUrl: await forge.remote(project),
    }
    await writeFile(join(dir, '.releaserc.json'), JSON.stringify(config))
    await writeFile(join(dir, 'notes.txt'), 'Read me.\n')
    await commit(dir, { 'engine.txt': 'faster' })
    await git(dir, 'commit', '--quiet', '--amend', '--message', 'feat: run faster')
    await git(dir, 'push', '--quiet', 'origin', 'main')
    const output = await run('semantic-release/bin/semantic-release.js', ['--no-ci'], { cwd: dir, env })
    expect(output).toContain('Published release 1.1.0')
    const tip = await git(dir, 'rev-parse', 'main')
    expect(await git(project.dir, 'rev-parse', 'v1.1.0^{commit}')).toBe(tip)
    const { releases } = await releasesOf(forge, project)
    expect(releases).toEqual([['v1.1.0', expect.stringContaining('run faster')]])
  },
)

withServed('POST /projects/:id/releases', 'GET /projects/:id/members/all/:user_id')(
  'release-it raises the version, tags it and releases it',
  { ...inFullRun('1 s of processor. semantic-release makes a tag and a release, too.'), timeout: 180_000 },
  async (forge) => {
    const { project, dir, env } = await packageIn(forge)
    const config = {
      git: { requireUpstream: false },
      npm: { publish: false, skipChecks: true },
      gitlab: { release: true, origin: env.GL_URL, secure: false, releaseNotes: 'echo Faster' },
    }
    await writeFile(join(dir, '.release-it.json'), JSON.stringify(config))
    await git(dir, 'add', '.release-it.json')
    await git(dir, 'commit', '--quiet', '--message', 'Add the settings of releases')
    await git(dir, 'push', '--quiet', 'origin', 'main')
    await run('release-it/bin/release-it.js', ['minor', '--ci'], { cwd: dir, env })
    expect(JSON.parse(await git(project.dir, 'show', 'main:package.json')).version).toBe('1.1.0')
    const { releases } = await releasesOf(forge, project)
    expect(releases).toEqual([['1.1.0', expect.stringContaining('Faster')]])
  },
)

interface Reply {
  id?: number
  result?: { tools?: Array<{ name: string }>; content?: Array<{ text: string }>; isError?: boolean }
  error?: { message: string }
}

/** A server of the model context protocol, spoken to by lines of JSON. */
async function mcpServer(forge: Forge) {
  const child = spawn(process.execPath, [join(packages, '@zereight/mcp-gitlab/build/index.js')], {
    env: { PATH: process.env.PATH, GITLAB_PERSONAL_ACCESS_TOKEN: forge.root.token, GITLAB_API_URL: `${await forge.url()}/api/v4` },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
  })
  let last = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method: string, params: object): Promise<Reply> => {
    last += 1
    const id = last
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return reply
  }
  await request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } })
  send({ method: 'notifications/initialized' })
  return {
    request,
    /** Calls a tool and returns its result. Throws with the tool's own message. */
    async call(name: string, args: object): Promise<unknown> {
      const { result, error } = await request('tools/call', { name, arguments: args })
      const text = result?.content?.[0]?.text ?? ''
      if (error || result?.isError) throw new Error(`${name}: ${error?.message ?? text}`)
      return JSON.parse(text)
    },
    stop: () => child.kill(),
  }
}

withServed()(
  'an MCP server reads projects and writes files for an assistant',
  { ...inFullRun('1 s of processor. It reads and writes files by the same requests as the clients above.'), timeout: 120_000 },
  async (forge) => {
    const project = await forge.project({ name: 'Assisted', visibility: 'public' })
    const project_id = String(project.id)
    const server = await mcpServer(forge)
    try {
      const { result } = await server.request('tools/list', {})
      expect(result?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_project', 'list_commits']))
      expect(await server.call('get_project', { project_id })).toMatchObject({
        id: expect.anything(),
        path_with_namespace: project.full_path,
      })
      const file = { project_id, file_path: 'notes.md', content: '# Notes\n', commit_message: 'Add notes', branch: 'main' }
      expect(await server.call('create_or_update_file', file)).toMatchObject({ file_path: 'notes.md', branch: 'main' })
      const changed = { ...file, content: '# More notes\n', commit_message: 'Extend the notes' }
      expect(await server.call('create_or_update_file', changed)).toMatchObject({ file_path: 'notes.md' })
      expect(await git(project.dir, 'show', 'main:notes.md')).toBe('# More notes')
      expect(await server.call('get_file_contents', { project_id, file_path: 'notes.md', ref: 'main' })).toMatchObject({
        file_name: 'notes.md',
      })
      await server.call('search_repositories', { search: 'Assisted' })
      await server.call('list_projects', {})
      await server.call('get_users', { usernames: ['root'] })
    } finally {
      server.stop()
    }
  },
)

// Both came with fields that the program demands: `web_url` of commits and of namespaces.
withServed('POST /projects/:id/releases', 'GET /namespaces/:id/exists')(
  'it branches, commits, compares and lists',
  { timeout: 120_000 },
  async (forge) => {
    const project = await forge.project({
      commits: [
        { message: 'First', files: { a: '1' } },
        { message: 'Second', files: { 'notes.md': '2' } },
      ],
    })
    const project_id = String(project.id)
    const server = await mcpServer(forge)
    try {
      const commits = (await server.call('list_commits', { project_id, ref_name: 'main' })) as Array<{ title: string }>
      expect(commits.map(({ title }) => title)).toEqual(['Second', 'First'])
      expect(await server.call('create_branch', { project_id, branch: 'idea', ref: 'main' })).toMatchObject({ name: 'idea' })
      expect(await server.call('get_repository_tree', { project_id, ref: 'idea' })).toEqual(
        expect.arrayContaining([expect.objectContaining({ path: 'notes.md', type: 'blob' })]),
      )
      const pushed = [{ file_path: 'a.txt', content: 'a' }]
      await server.call('push_files', { project_id, branch: 'idea', files: pushed, commit_message: 'Add a' })
      expect(await git(project.dir, 'show', 'idea:a.txt')).toBe('a')
      await server.call('get_branch_diffs', { project_id, from: 'main', to: 'idea' })
      const namespaces = (await server.call('list_namespaces', {})) as Array<{ full_path: string }>
      expect(namespaces.map(({ full_path }) => full_path)).toContain('root')
    } finally {
      server.stop()
    }
  },
)

withPackages(
  'the OpenAPI document compiles to types, strictly',
  { ...inFullRun('13 s of processor. test/contract/openapi checks the document.'), timeout: 180_000 },
  async (forge) => {
    const dir = await forge.folder()
    await writeFile(join(dir, 'openapi.json'), (await forge.anonymous.get('/openapi.json')).text)
    await run('openapi-typescript/bin/cli.js', ['openapi.json', '-o', 'api.d.ts'], { cwd: dir })
    await writeFile(join(dir, 'use.ts'), use)
    await run('typescript/bin/tsc', ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'nodenext', 'use.ts'], { cwd: dir })
    expect((await readFile(join(dir, 'api.d.ts'), 'utf8')).length).toBeGreaterThan(100_000)
    await mkdir(join(dir, 'wrong'))
    await writeFile(join(dir, 'wrong', 'use.ts'), use.replace('.web_url', '.no_such_field').replace("'./api.js'", "'../api.js'"))
    const wrong = run('typescript/bin/tsc', ['--strict', '--noEmit', '--module', 'nodenext', 'wrong/use.ts'], { cwd: dir })
    await expect(wrong).rejects.toThrow('no_such_field')
  },
)

/** A program that uses names of operations, parameters and schemas. */
const use = `import type { components, operations, paths } from './api.js'
type Found = paths['/projects/{id}']['get']['responses'][200]['content']['application/json']
type Branch = components['schemas']['Branch']
type Query = operations['getProjectRepositoryMergeBase']['parameters']['query']
export const addressOf = (project: Found): string => project.web_url
export const nameOf = (branch: Branch): string => branch.name
export const query: Query = { 'refs[]': ['main', 'v1'] }
`
