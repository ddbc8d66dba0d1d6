import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'

const example = {
  image: 'ruby:2.1',
  services: ['postgres'],
  before_script: ['bundle install'],
  variables: { DB_NAME: 'postgres' },
  types: ['test', 'deploy', 'notify'],
  rspec: { script: 'rake spec', tags: ['ruby', 'postgres'], only: ['branches'] },
}

test.each(['/lint', '/ci/lint'])('POST %s says whether a text is right, in the words of the reference', async (address) => {
  const forge = await testForge()
  const user = await forge.user()
  const ask = (content: string) => forge.as(user).post(address, { content })

  const right = await ask(JSON.stringify(example))
  const wrong = await ask(JSON.stringify({ ...example, variables: 'DB_NAME=postgres' }))

  expect([right.status, right.body]).toEqual([200, { status: 'valid', errors: [], warnings: [] }])
  expect([wrong.status, wrong.body.status, wrong.body.errors]).toEqual([
    200,
    'invalid',
    ['variables config should be a hash of key value pairs'],
  ])
  expect((await ask('')).body.errors).toEqual(['Please provide content of .gitlab-ci.yml'])
  expect((await ask('include: other.yml\na: {script: x}')).body.errors).toEqual(['Only a project can have includes: check the file there'])
  expect((await forge.as(user).post(address)).body).toEqual({ error: 'content is missing' })
})

test('anonymous clients may lint thirty times a minute from one network, over both addresses together', async () => {
  const forge = await testForge()
  // A network of its own: other tests of this process ask, too.
  const from = { headers: { 'x-forwarded-for': '203.0.113.41' } }
  const statusOf = async (address: string, as = forge.anonymous) =>
    (await as.post(address, { content: JSON.stringify(example) }, from)).status
  expect([await statusOf('/ci/lint'), await statusOf('/lint')]).toEqual([200, 200])
  const empty = Array.from({ length: 28 }, () => forge.anonymous.post('/lint', { content: '' }, from))
  expect(new Set((await Promise.all(empty)).map(({ status }) => status))).toEqual(new Set([200]))
  expect([await statusOf('/ci/lint'), await statusOf('/lint'), await statusOf('/lint', forge.as(forge.root))]).toEqual([429, 429, 200])
})

test('a text can be answered with its jobs and the merged file', async () => {
  const forge = await testForge()
  const content = '.a: {tags: [x]}\nb: {extends: .a, script: [y], only: [nowhere]}'

  const { body } = await forge.as(forge.root).post('/lint', { content, include_jobs: true, include_merged_yaml: true })

  expect(body.jobs).toMatchObject([
    { name: 'b', stage: 'test', script: ['y'], tag_list: ['x'], when: 'on_success', allow_failure: false, needs: null },
  ])
  expect(body.merged_yaml).toContain('tags:\n    - x\n  extends: .a')
})

test('the file of a project is checked with what it includes: wildcards, other projects, templates', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const other = await forge.project({
    developer,
    commits: [{ files: { 'shared.yml': 'include: more.yml\nshared: {script: x}', 'more.yml': 'more: {script: x}' } }],
  })
  const { body: otherProject } = await forge.as(developer).get(`/projects/${other.id}`)
  const text = `include: [/ci/*.yml, {project: ${otherProject.path_with_namespace}, file: shared.yml}, {template: Bash.gitlab-ci.yml}]\nown: {script: x}`
  const files = { '.gitlab-ci.yml': text, 'ci/a.yml': 'a: {script: x}', 'ci/b.yml': 'b: {script: x}', 'ci/deep/c.yml': 'c: {script: x}' }
  const project = await forge.project({ developer, commits: [{ files }] })

  const { body } = await forge.as(developer).get(`/projects/${project.id}/ci/lint?include_jobs=true`)

  expect([body.valid, body.errors]).toEqual([true, []])
  expect(body.jobs.map(({ name }: { name: string }) => name).sort()).toEqual(['a', 'b', 'build', 'more', 'own', 'shared', 'test'])
  expect(body.includes.map(({ type, location }: { type: string; location: string }) => [type, location])).toEqual([
    ['local', 'ci/a.yml'],
    ['local', 'ci/b.yml'],
    ['file', 'shared.yml'],
    ['local', 'more.yml'],
    ['template', 'Bash.gitlab-ci.yml'],
  ])
})

test('includes that are not there, and those the caller may not read, are the same', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const secret = await forge.project({ commits: [{ files: { 'ci.yml': 'a: {script: x}' } }] })
  const { body: hidden } = await forge.as(forge.root).get(`/projects/${secret.id}`)
  const project = await forge.project({ developer })
  const ask = async (include: unknown) => {
    const content = JSON.stringify({ include, a: { script: 'x' } })
    return (await forge.as(developer).post(`/projects/${project.id}/ci/lint`, { content })).body.errors
  }
  const denied = (path: string) => [
    `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
  ]

  expect(await ask({ project: hidden.path_with_namespace, file: 'ci.yml' })).toEqual(denied(hidden.path_with_namespace))
  expect(await ask({ project: 'no/where', file: 'ci.yml' })).toEqual(denied('no/where'))
  expect(await ask('missing.yml')).toEqual(['Local file `missing.yml` does not exist!'])
  expect(await ask('../../etc/passwd.yml')).toEqual(['Local file `../../etc/passwd.yml` does not exist!'])
  expect(await ask('README.md')).toEqual(['Included file `README.md` does not have YAML extension!'])
  expect(await ask({ template: '__proto__.gitlab-ci.yml' })).toEqual(['Template file `__proto__.gitlab-ci.yml` is not a valid location!'])
  expect(await ask('http://127.0.0.1:1/ci.yml')).toEqual([
    expect.stringMatching(/^Remote file `http:\/\/127.0.0.1:1\/ci.yml` could not be fetched: /),
  ])
})

test('a component is a file of a project at a version, for those who may read it, and gets its inputs', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const stranger = await forge.user()
  const job = (version: string) => `spec: {inputs: {name: }}\n---\n"$[[ inputs.name ]] ${version}": {script: x}\n`
  const commits = [
    { message: 'One', files: { 'templates/build.yml': job('1.9.0') } },
    { message: 'Two', files: { 'templates/build.yml': null, 'templates/build/template.yml': job('1.10.0') } },
  ]
  const catalog = await forge.project({ developer, commits })
  await git(catalog.dir, 'tag', '1.9.0', 'main~1')
  await git(catalog.dir, 'tag', '1.10.0', 'main')
  await git(catalog.dir, 'tag', '2.0.0-rc1', 'main')
  const project = await forge.project({ developer })
  const strange = await forge.project({ developer: stranger })
  const ask = async (user: TestUser, { id }: TestProject, component: string) => {
    const content = JSON.stringify({ include: { component, inputs: { name: 'build' } } })
    const { body } = await forge.as(user).post(`/projects/${id}/ci/lint?include_jobs=true`, { content })
    return body.valid ? body.jobs.map(({ name }: { name: string }) => name) : body.errors
  }
  const at = `gitstead.test/${catalog.full_path}/build`

  expect(await ask(developer, project, `${at}@1.9.0`)).toEqual(['build 1.9.0'])
  expect(await ask(developer, project, `${at}@~latest`)).toEqual(['build 1.10.0'])
  expect(await ask(developer, project, `${at}@1`)).toEqual(['build 1.10.0'])
  expect(await ask(developer, project, `$CI_SERVER_FQDN/${catalog.full_path}/build@main`)).toEqual(['build 1.10.0'])
  const missing = (component: string) => [`Component \`${component}\` not found or access denied!`]
  expect(await ask(stranger, strange, `${at}@1.9.0`)).toEqual(missing(`${at}@1.9.0`))
  expect(await ask(developer, project, `${at}@3`)).toEqual(missing(`${at}@3`))
  expect(await ask(developer, project, `elsewhere.test/a/b/c@1`)).toEqual(['Component `elsewhere.test/a/b/c@1` is not of this server!'])
  expect(await ask(developer, project, at)).toEqual([`Component \`${at}\` is not of the form \`host/group/project/name@version\`!`])
})

test('remote files are read through the guard, once allowed, and never with redirects or without end', async () => {
  const forge = await testForge()
  const host = createServer((request, response) => {
    if (request.url === '/moved.yml') response.writeHead(302, { location: '/ci.yml' }).end()
    else response.end(request.url === '/large.yml' ? 'x'.repeat(2_000_000) : 'remote: {script: x}')
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void host.close())
  const at = host.address()
  const base = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`
  const project = await forge.project()
  const ask = async (url: string) =>
    (await forge.as(forge.root).post(`/projects/${project.id}/ci/lint`, { content: `include: ${base}${url}`, include_jobs: true })).body
  await forge.as(forge.root).put('/application/settings', { allow_local_requests_from_hooks_and_services: true })
  onTestFinished(
    async () => void (await forge.as(forge.root).put('/application/settings', { allow_local_requests_from_hooks_and_services: false })),
  )

  expect((await ask('/ci.yml')).jobs).toMatchObject([{ name: 'remote' }])
  expect((await ask('/moved.yml')).errors).toEqual([`Remote file \`${base}/moved.yml\` could not be fetched: The host answered with 302`])
  expect((await ask('/large.yml')).errors).toEqual([
    `Remote file \`${base}/large.yml\` could not be fetched: The host sent more than 1048576 bytes`,
  ])
})

test('a file includes so many files of the web, and for those who signed in alone', async () => {
  const forge = await testForge()
  let requests = 0
  const host = createServer((_, response) => {
    requests += 1
    response.end('remote: {script: x}')
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void host.close())
  const at = host.address()
  const base = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`
  const include = Array.from({ length: 30 }, (_, index) => `${base}/${index}.yml`)
  const files = { '.gitlab-ci.yml': JSON.stringify({ include }) }
  const project = await forge.project({ visibility: 'public', commits: [{ files }] })
  await forge.as(forge.root).put('/application/settings', { allow_local_requests_from_hooks_and_services: true })
  onTestFinished(
    async () => void (await forge.as(forge.root).put('/application/settings', { allow_local_requests_from_hooks_and_services: false })),
  )

  const anonymous = await forge.anonymous.get(`/projects/${project.id}/ci/lint`)
  expect([anonymous.body.errors, requests]).toEqual([
    [`Remote file \`${base}/0.yml\` could not be fetched: Sign in to check a file that includes it`],
    0,
  ])
  const signedIn = await forge.as(forge.root).get(`/projects/${project.id}/ci/lint`)
  expect([signedIn.body.errors, requests]).toEqual([
    [`Remote file \`${base}/20.yml\` could not be fetched: A file can include 20 files of the web`],
    20,
  ])
})

test('a dry run lists the jobs that a push of the ref would run', async () => {
  const forge = await testForge()
  const content =
    'always: {script: x}\nmain: {script: x, only: [main]}\ntagged: {script: x, rules: [{if: $CI_COMMIT_TAG}]}\nfiles: {script: x, rules: [{exists: ["README*"]}]}'
  const project = await forge.project({ commits: [{ files: { '.gitlab-ci.yml': content, 'README.md': 'x' } }] })
  await forge.as(forge.root).post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  const names = async (query: string) =>
    (await forge.as(forge.root).get(`/projects/${project.id}/ci/lint?include_jobs=true&${query}`)).body.jobs.map(
      ({ name }: { name: string }) => name,
    )

  expect(await names('')).toEqual(['always', 'main', 'tagged', 'files'])
  expect(await names('dry_run=true')).toEqual(['always', 'main', 'files'])
  expect(await names('dry_run=true&dry_run_ref=v1')).toEqual(['always', 'tagged', 'files'])
})

test('a text is checked before anything is pushed; a push of nothing is not simulated', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const empty = await forge.project({ files: null, developer })
  const at = `/projects/${empty.id}/ci/lint`
  const checked = await forge.as(developer).post(at, { content: 'a: {script: x}\nb: {script: y, rules: [{exists: [c]}]}' })
  expect([checked.status, checked.body]).toMatchObject([200, { valid: true, errors: [] }])
  const including = await forge.as(developer).post(at, { content: 'include: b.yml\na: {script: x}' })
  expect(including.body).toMatchObject({ valid: false, errors: ['Local file `b.yml` does not have project!'] })
  for (const simulated of [{ dry_run: true }, { ref: 'main' }])
    expect((await forge.as(developer).post(at, { content: 'a: {script: x}', ...simulated })).status).toBe(404)
})

test('a ref that is not there is 404, a project without the file is told so, and developers alone check texts', async () => {
  const forge = await testForge()
  const reporter = await forge.user()
  const project = await forge.project({ reporter })
  const at = `/projects/${project.id}/ci/lint`

  const gone = await forge.as(reporter).get(`${at}?dry_run=true&ref=gone`)
  const fileless = await forge.as(reporter).get(at)

  expect([gone.status, gone.body]).toEqual([404, { message: '404 Reference Not Found' }])
  expect([fileless.status, fileless.body]).toEqual([
    200,
    { valid: false, errors: ['Please provide content of .gitlab-ci.yml'], warnings: [], merged_yaml: null, includes: [] },
  ])
  expect((await forge.as(reporter).post(at, { content: 'a: {script: x}' })).status).toBe(403)
})
