/** Push rules: what each denies, over git and the API alike, which rules are in force, and that nothing of a denied push is kept. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixturePassword, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'

const awsKey = `AK${'IA'}QWERTYUIOPASDFGH`

async function cloneOf(forge: Forge, project: TestProject, user: TestUser): Promise<string> {
  const folder = await forge.folder()
  await git(folder, 'clone', '--quiet', await forge.remote(project, user), folder)
  return folder
}

let author = 'Ada <ada@example.com>'

/** Commits the files on a new branch, and returns what git says of the push; empty if it went well. */
async function pushing(folder: string, message: string, files: Record<string, string | Buffer>, options: string[] = []): Promise<string> {
  await git(folder, 'checkout', '--quiet', '-B', 'topic', 'origin/main')
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  await git(folder, 'add', '--all')
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', message, `--author=${author}`)
  const { code, stderr } = await tryGit(folder, 'push', '--quiet', '--force', ...options, 'origin', 'topic')
  return code === 0 ? '' : stderr.replace(/remote: /g, '').replace(/\s+/g, ' ')
}

test('each rule denies what it is for, names the commit, and keeps nothing of it', async () => {
  const forge = await testForge()
  // As git of these tests commits.
  const maintainer = await forge.user({ name: 'Ada', email: 'ada@example.com' })
  const project = await forge.project({ maintainer, commits: [{ files: { a: '1' } }] })
  const api = forge.as(maintainer)
  const address = `/projects/${project.id}/push_rule`
  const folder = await cloneOf(forge, project, maintainer)
  expect((await api.get(address)).body).toBeNull()
  expect((await api.post(address, {})).status).toBe(201)
  const only = (rule: Record<string, unknown>) =>
    api.put(address, {
      ...{
        commit_message_regex: null,
        commit_message_negative_regex: '',
        author_email_regex: '',
        branch_name_regex: '',
        file_name_regex: '',
      },
      ...{ max_file_size: 0, prevent_secrets: false, member_check: false, commit_committer_check: false },
      ...{ commit_committer_name_check: false, reject_unsigned_commits: false, reject_non_dco_commits: false },
      ...rule,
    })
  const denied = async (rule: Record<string, unknown>, message: string, files: Record<string, string | Buffer> = {}) => {
    const { status, body } = await only(rule)
    expect([status, body]).toEqual([200, expect.objectContaining(rule)])
    const said = await pushing(folder, message, files)
    const commit = await git(folder, 'rev-parse', 'HEAD')
    expect((await tryGit(project.dir, 'cat-file', '-e', commit)).code).not.toBe(0)
    return said
  }

  expect(await denied({ commit_message_regex: '^JIRA-\\d+' }, 'Anything')).toMatch(
    /Gitstead: Commit [0-9a-f]{12} is denied by the push rules of this project: its message doesn't match the pattern '\^JIRA-\\d\+'\./,
  )
  // `^` is at each line, and the message of a longer history counts too.
  expect(await pushing(folder, 'Title\n\nJIRA-7', {})).toBe('')
  expect(await denied({ commit_message_negative_regex: 'wip$' }, 'More wip')).toContain("matches the forbidden pattern 'wip$'")
  expect(await denied({ reject_non_dco_commits: true }, 'Not mine')).toContain('Signed-off-by')
  expect(await denied({ author_email_regex: '@company\\.example$' }, 'Who')).toContain(`the address of its author, '${maintainer.email}'`)
  expect(await denied({ branch_name_regex: '^(feature|fix)/' }, 'Where')).toContain("The branch 'topic' doesn't match")
  expect(await denied({ file_name_regex: '\\.(exe|jar)$' }, 'What', { 'run\u001b[31m.exe': '1' })).toContain('run?[31m.exe of commit')
  await git(folder, 'reset', '--quiet', '--hard', 'origin/main')
  expect(await denied({ max_file_size: 1 }, 'Large', { large: Buffer.alloc(1024 * 1024 + 1) })).toMatch(
    /large of commit [0-9a-f]{12} is denied.*it has 1\.0 MiB, and 1 MiB are allowed/,
  )
  expect(await denied({ reject_unsigned_commits: true }, 'Unsigned')).toContain('it is not signed')
  author = 'Someone \u001b[2J Else <stranger@elsewhere.example>'
  expect(await denied({ commit_committer_name_check: true }, 'Named')).toContain(`its author, 'Someone ?[2J Else', is not called`)
  expect(await denied({ member_check: true }, 'Stranger')).toContain("its author, 'stranger@elsewhere.example', has no account here")
  expect((await only({ commit_committer_check: true })).status).toBe(200)
  expect(await pushing(folder, 'Own', {})).toBe('')
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Of Ada')
  const byOther = await tryGit(folder, 'push', await forge.remote(project, forge.root), 'topic')
  expect(byOther.stderr).toContain("its committer, 'ada@example.com', is not a confirmed address of your account")

  author = 'Ada <ada@example.com>'
  // Commits that a branch had before the rule aren't checked when they go to another branch.
  await only({})
  expect(await pushing(folder, 'Before the rule', {})).toBe('')
  await only({ member_check: true, commit_message_regex: '^JIRA' })
  expect((await tryGit(folder, 'push', 'origin', 'topic:refs/heads/again')).code).toBe(0)
  // A tag brings commits just as a branch does.
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'By a tag')
  expect((await tryGit(folder, 'push', 'origin', 'HEAD:refs/tags/v1')).stderr).toContain('denied by the push rules')
})

test('secrets are found where they are, also over two lines and in files without text, and an option lets them through', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, commits: [{ files: { a: '1' } }] })
  const api = forge.as(maintainer)
  const address = `/projects/${project.id}/push_rule`
  await api.post(address, { prevent_secrets: true })
  const folder = await cloneOf(forge, project, maintainer)
  const files = {
    'app.env': `A=1\nKEY=${awsKey}\n`,
    'split.py': `key = ("${awsKey.slice(0, 10)}" +\n       "${awsKey.slice(10)}")\n`,
    'binary.bin': Buffer.from(`\0\u0001${awsKey}\0`, 'latin1'),
    id_ed25519: 'any',
  }
  const said = await pushing(folder, 'Secrets', files)
  for (const place of [
    'AWS access key in app.env:2',
    'AWS access key in split.py:1',
    'AWS access key in binary.bin:1',
    'SSH private key (by its name): id_ed25519',
  ])
    expect(said).toContain(place)
  expect(said).not.toContain('skip_all')
  const skipping = ['-o', 'secret_push_protection.skip_all']
  expect(await pushing(folder, 'Again', files, skipping)).toContain('looks like secrets')
  await api.put(address, { allow_secrets_by_option: true })
  expect(await pushing(folder, 'And again', files)).toContain('push with -o secret_push_protection.skip_all')
  expect(await pushing(folder, 'Let through', files, skipping)).toBe('')
  const { body } = await forge.as(forge.root).get(`/projects/${project.id}/audit_events`)
  const [logged, changed] = body as Array<{ author_id: number; details: Record<string, unknown> }>
  expect(logged?.author_id).toBe(maintainer.id)
  expect(logged?.details.custom_message).toBe('Pushed what looks like secrets, by an option of the push')
  expect(JSON.stringify(logged?.details.found)).toContain('app.env:2')
  expect(changed?.details).toMatchObject({ custom_message: 'Changed push rules', allow_secrets_by_option: true })
})

test('commits of the API, and what a merge brings from a fork, follow the same rules', async () => {
  const forge = await testForge()
  const maintainer = await forge.user({ password: fixturePassword })
  const project = await forge.project({ maintainer, visibility: 'public', commits: [{ files: { a: '1' } }] })
  const api = forge.as(maintainer)
  const contributor = await forge.user()
  const fork = (await forge.as(contributor).post(`/projects/${project.id}/fork`)).body as { id: number }
  await forge.drain()
  const committing = (user: TestUser, id: number, message: string, content: string) =>
    forge.as(user).post(`/projects/${id}/repository/commits`, {
      branch: 'topic',
      ...{ start_branch: 'main', commit_message: message, actions: [{ action: 'create', file_path: 'new.env', content }] },
    })
  expect((await committing(contributor, fork.id, 'Elsewhere', awsKey)).status).toBe(201)
  const proposal = { source_branch: 'topic', target_branch: 'main', title: 'x', target_project_id: project.id }
  const { body: proposed } = await forge.as(contributor).post(`/projects/${fork.id}/merge_requests`, proposal)
  await forge.drain()
  // The service signs nothing and asks nobody for signatures of its own commits.
  await api.post(`/projects/${project.id}/push_rule`, {
    prevent_secrets: true,
    reject_unsigned_commits: true,
    commit_committer_check: true,
  })
  const refused = await committing(maintainer, project.id, 'By the API', awsKey)
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/AWS access key in new\.env:1 of commit/)])
  expect((await committing(maintainer, project.id, 'By the API', 'nothing')).status).toBe(201)
  const browser = await signedIn(forge, maintainer)
  const page = `/${project.full_path}/new/main`
  const typed = {
    file_path: 'typed.env',
    content: `K=${awsKey.slice(0, 2)}\\\n${awsKey.slice(2)}`,
    branch: 'typed',
    commit_message: 'By the editor',
  }
  const again = await browser.submit(page, page, typed)
  expect([again.status, again.text]).toEqual([400, expect.stringMatching(/AWS access key in typed\.env:1 of commit/)])
  const merge = `/projects/${project.id}/merge_requests/${(proposed as { iid: number }).iid}/merge`
  const merged = await api.put(merge, {})
  expect([merged.status, merged.body.message]).toEqual([400, expect.stringContaining('it is not signed')])
  await api.put(`/projects/${project.id}/push_rule`, { reject_unsigned_commits: false })
  expect((await api.put(merge, {})).body.message).toContain('AWS access key in new.env:1')
  await api.put(`/projects/${project.id}/push_rule`, { prevent_secrets: false })
  expect((await api.put(merge, {})).status).toBe(200)
})

test('the nearest rules are in force: of the project, of the nearest group, of the instance; a tag may be kept', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const inner = await forge.group({ owner, parent: group })
  const project = await forge.project({ group: inner, commits: [{ files: { a: '1' } }] })
  const root = forge.as(forge.root)
  const rules: Array<[string, string]> = [
    ['/admin/push_rule', 'instance'],
    [`/groups/${group.id}/push_rule`, 'outer'],
    [`/groups/${inner.id}/push_rule`, 'inner'],
    [`/projects/${project.id}/push_rule`, 'project'],
  ]
  const folder = await cloneOf(forge, project, owner)
  for (const [address, name] of rules) {
    expect((await root.get(address)).status).toBe(address.startsWith('/projects') ? 200 : 404)
    const created = await root.post(address, { commit_message_negative_regex: `by ${name}`, deny_delete_tag: true })
    expect([created.status, (await root.post(address, {})).status]).toEqual([201, 422])
    expect(await pushing(folder, `by ${name}`, {})).toContain(`'by ${name}'`)
  }
  const api = forge.as(owner)
  await api.post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  expect((await tryGit(folder, 'push', 'origin', ':refs/tags/v1')).stderr).toContain('let git push delete no tags')
  expect((await api.delete(`/projects/${project.id}/repository/tags/v1`)).status).toBe(204)
  for (const [address] of rules.slice(0, 3).reverse()) expect((await root.delete(address)).status).toBe(204)
  const invalid = await api.put(`/projects/${project.id}/push_rule`, {
    file_name_regex: '(',
    commit_message_regex: '(a{500}){500}',
    max_file_size: -1,
  })
  expect([invalid.status, Object.keys(invalid.body.message)]).toEqual([400, ['commit_message_regex', 'file_name_regex', 'max_file_size']])
})
