import { request } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { engine } from '../support/database.ts'
import { type TestProject, testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { basic, clone, commit, contentsOf, flush, get, packet, packOf, post, processesOn, pushBody, workTree, zero } from './git/wire.ts'

cpuBudget(9, 'Broken requests of git, each a process.')

/** Tests of git and the wire alone, which need one engine; those that reach the database run on both. */
const onOneEngine = test.skipIf(engine === 'postgres')

/** A project, and a push of one new commit to it that would succeed. */
async function pushAtHand(content: string | Buffer = 'new\n') {
  const forge = await testForge()
  const project = await forge.project()
  const dir = await clone(await forge.remote(project, forge.root))
  const after = await commit(dir, { 'new.txt': content })
  const pack = await packOf(dir, after)
  const body = pushBody({ after, ref: 'refs/heads/fresh' }, pack)
  return {
    forge,
    project,
    dir,
    after,
    pack,
    body,
    address: `/${project.full_path}.git/git-receive-pack`,
    before: await contentsOf(project.dir),
  }
}

/** Git has ended, the repository is as it was, and takes the next push. */
async function expectUnharmed(project: TestProject, before: Awaited<ReturnType<typeof contentsOf>>): Promise<void> {
  const forge = await testForge()
  await expect.poll(() => processesOn(project.dir)).toEqual([])
  // The pack that it had received so far is removed once git has ended.
  await expect.poll(() => contentsOf(project.dir)).toEqual(before)
  const dir = await clone(await forge.remote(project, forge.root))
  const head = await commit(dir, { 'after.txt': 'after' })
  await git(dir, 'push', '--quiet', 'origin', 'main')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(head)
  expect(await git(project.dir, 'fsck', '--full')).toBe('')
}

onOneEngine('the push at hand is a good one: what follows is refused for what was done to it', async () => {
  const { forge, project, body, address, after } = await pushAtHand()
  const answer = await post(forge, address, body, { user: forge.root })
  expect([answer.status, answer.type, answer.text]).toEqual([
    200,
    'application/x-git-receive-pack-result',
    '000eunpack ok\n0018ok refs/heads/fresh\n0000',
  ])
  expect(await git(project.dir, 'rev-parse', 'fresh')).toBe(after)
})

onOneEngine('a pack with one byte flipped is refused, wherever the byte is', async () => {
  const { forge, project, pack, after, address, before } = await pushAtHand()
  for (const at of [0, 7, 11, 14, Math.floor(pack.length / 2), pack.length - 25, pack.length - 1]) {
    const broken = Buffer.from(pack)
    broken[at] = (broken[at] as number) ^ 0x55
    const answer = await post(forge, address, pushBody({ after, ref: 'refs/heads/fresh' }, broken), { user: forge.root })
    expect([at, answer.status, /unpack (?!ok)/.test(answer.text) || answer.status === 400]).toEqual([at, answer.status, true])
    expect(answer.text).not.toContain('ok refs/heads/fresh')
  }
  await expectUnharmed(project, before)
})

onOneEngine(
  'a pack that ends too early is refused, though the request is whole',
  inFullRun('Half a second of processor. A pack with one byte flipped is refused, above, wherever the byte is.'),
  async () => {
    const { forge, project, pack, after, address, before } = await pushAtHand()
    for (const length of [0, 5, 12, 40, pack.length - 20, pack.length - 1]) {
      const body = pushBody({ after, ref: 'refs/heads/fresh' }, pack.subarray(0, length))
      const answer = await post(forge, address, body, { user: forge.root })
      expect([length, answer.text.includes('ok refs/heads/fresh')]).toEqual([length, false])
    }
    await expectUnharmed(project, before)
  },
)

onOneEngine(
  'a pack without the objects its commit needs is refused',
  inFullRun('Half a second of processor. A pack with one byte flipped is refused, above.'),
  async () => {
    const { forge, project, dir, after, address, before } = await pushAtHand()
    const { gitBytes } = await import('./git/wire.ts')
    const lonely = await gitBytes(dir, ['pack-objects', '--stdout', '--quiet'], `${after}\n`)
    const answer = await post(forge, address, pushBody({ after, ref: 'refs/heads/fresh' }, lonely), { user: forge.root })
    expect(answer.text).toContain('ng refs/heads/fresh unpacker error')
    await expectUnharmed(project, before)
  },
)

for (const [name, megabytes, tier] of [
  ['a small push', 0, inFullRun('A large push is cut, too, and git is ended by the same steps.')],
  ['a large push', 8, {}],
] as const) {
  onOneEngine(`${name} cut in the middle leaves nothing behind`, tier, async () => {
    const { randomBytes } = await import('node:crypto')
    const { forge, project, body, address, before } = await pushAtHand(randomBytes(megabytes * 1024 * 1024 + 1_000))
    const { host, hostname, port } = new URL(await forge.url())
    const socket = connect(Number(port), hostname)
    const head = [
      `POST ${address} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/x-git-receive-pack-request',
      `authorization: ${basic(forge.root).authorization}`,
      `content-length: ${body.length}`,
      '',
      '',
    ]
    socket.write(head.join('\r\n'))
    socket.write(body.subarray(0, Math.floor(body.length * 0.6)))
    await expect.poll(async () => (await contentsOf(project.dir)).files.some((file) => /incoming/.test(file))).toBe(true)
    socket.destroy()
    await expectUnharmed(project, before)
  })
}

test('a push whose client does not wait for the answer is still taken whole, with what follows from it', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await workTree()
  const after = await git(dir, 'rev-parse', 'main')
  const body = pushBody({ after, ref: 'refs/heads/main' }, await packOf(dir, after))
  const sent = request(`${await forge.url()}/${project.full_path}.git/git-receive-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-receive-pack-request', 'content-length': body.length, ...basic(forge.root) },
  })
  sent.on('error', () => {})
  // It goes away the moment the server has read the whole of its push.
  forge.server.server.once('request', (incoming) => incoming.once('end', () => sent.destroy()))
  sent.end(body)

  const shown = async () => (await forge.as(forge.root).get(`/projects/${project.id}`)).body.default_branch
  await expect.poll(shown).toBe('main')
  expect(await git(project.dir, 'rev-parse', 'main')).toBe(after)
  await expect.poll(() => processesOn(project.dir)).toEqual([])
})

onOneEngine('a clone cut in the middle leaves no process behind', async () => {
  const { randomBytes } = await import('node:crypto')
  const forge = await testForge()
  const project = await forge.project({ files: { 'large.bin': randomBytes(20 * 1024 * 1024) } })
  const want = await git(project.dir, 'rev-parse', 'main')
  const body = Buffer.concat([packet(`want ${want}\n`), flush, packet('done\n')])
  const sent = request(`${await forge.url()}/${project.full_path}.git/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request', ...basic(forge.root) },
  })
  sent.end(body)
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => sent.once('response', resolve))
  await new Promise((resolve) => response.once('readable', resolve))
  expect(processesOn(project.dir)).not.toEqual([])
  sent.on('error', () => {})
  response.on('error', () => {})
  sent.destroy()
  await expect.poll(() => processesOn(project.dir)).toEqual([])
})

onOneEngine('a compressed body that breaks off, or is none, is refused with a sentence', async () => {
  const { forge, project, body, address, before } = await pushAtHand()
  const gzip = { 'content-encoding': 'gzip' }
  const whole = gzipSync(body)
  for (const length of [whole.length / 2, whole.length - 40]) {
    const answer = await post(forge, address, whole.subarray(0, length), { user: forge.root, headers: gzip })
    expect(answer.text).not.toContain('ok refs/heads/fresh')
  }
  for (const broken of [body, Buffer.from('nonsense'), whole.subarray(0, 5)]) {
    const answer = await post(forge, address, broken, { user: forge.root, headers: gzip })
    expect([answer.status, answer.type, answer.text]).toEqual([400, 'text/plain; charset=utf-8', 'The request did not arrive whole.\n'])
  }
  const unknown = await post(forge, address, body, { user: forge.root, headers: { 'content-encoding': 'br' } })
  expect([unknown.status, unknown.text]).toEqual([415, 'A body may be compressed by gzip and by nothing else.\n'])
  await expectUnharmed(project, before)
})

onOneEngine('a body that is no request of git is refused with a sentence', async () => {
  const { forge, project, address, before } = await pushAtHand()
  const bodies = ['nonsense', '00', '{}', 'zzzz', '0004', '000anot-it0000', `${packet(`${zero} ${zero} refs/heads/x`)}`]
  for (const text of bodies) {
    for (const service of ['git-receive-pack', 'git-upload-pack']) {
      const answer = await post(forge, address.replace('git-receive-pack', service), Buffer.from(text), { user: forge.root })
      expect([text, service, answer.status < 500, answer.text.includes('ok refs')]).toEqual([text, service, true, false])
    }
  }
  const nonsense = await post(forge, address, Buffer.from('nonsense'), { user: forge.root })
  expect([nonsense.status, nonsense.text]).toEqual([
    400,
    'This is no request that git understands: protocol error: bad line length character: nons.\n',
  ])
  await expectUnharmed(project, before)
})

onOneEngine('an empty body, as git sends to see whether it may push, is answered', async () => {
  const { forge, address } = await pushAtHand()
  const answer = await post(forge, address, flush, { user: forge.root })
  expect([answer.status, answer.type, answer.text]).toEqual([200, 'application/x-git-receive-pack-result', ''])
})

onOneEngine('a wrong content type is refused before the body is read', async () => {
  const { forge, project, body, address, before } = await pushAtHand()
  for (const type of [
    'application/json',
    'text/plain',
    'application/x-git-upload-pack-request',
    'multipart/form-data; boundary=x',
    'nonsense',
  ]) {
    const answer = await post(forge, address, body, { user: forge.root, headers: { 'content-type': type } })
    expect([type, answer.status, answer.type]).toEqual([type, 415, 'text/plain; charset=utf-8'])
  }
  await expectUnharmed(project, before)
})

onOneEngine('the dumb protocol, unknown services and unknown addresses are refused', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  const base = `/${project.full_path}.git`
  const dumb = 'Only the smart protocol is spoken here: use a git client of this decade.\n'
  const unserved = 'Over HTTP there are git-upload-pack and git-receive-pack and no other service. The API and SSH have archives.\n'
  for (const [query, sentence] of [
    ['', dumb],
    ['?service=', dumb],
    ['?service=git-upload-archive', unserved],
    ['?service=upload-pack', unserved],
    ['?service=git-upload-pack%00', unserved],
    ['?service=--help', unserved],
  ]) {
    const answer = await get(forge, `${base}/info/refs${query}`)
    expect([query, answer.status, answer.text]).toEqual([query, 403, sentence])
  }
  for (const path of ['/HEAD', '/config', '/objects/info/packs', '/git-upload-archive', '/info/refs/', '']) {
    expect([path, (await get(forge, base + path)).status]).toEqual([path, 404])
  }
  expect((await get(forge, `${base}/git-upload-pack`)).status).toBe(404)
  expect((await post(forge, `${base}/info/refs`, flush)).status).toBe(404)
  // No address of git, so one of pages, which take forms.
  expect((await post(forge, `${base}/git-upload-archive`, flush)).status).toBe(415)
})

test('paths that climb, hide a slash or hold a NUL lead nowhere', async () => {
  const forge = await testForge()
  const project = await forge.project({ path: 'target' })
  const before = (await forge.as(forge.root).get('/projects')).headers['x-total']
  const tails = ['info/refs?service=git-upload-pack', 'info/refs?service=git-receive-pack']
  const paths = [
    '/root/../root/target.git',
    '/root/./target.git',
    '//root/target.git',
    '/root//target.git',
    '/root/target/..git',
    '/root%2Ftarget.git',
    '/root/..%2Froot%2Ftarget.git',
    '/root/target%00.git',
    '/root%00/target.git',
    '/root/target.git%0a',
    '/root/%2e%2e/root/target.git',
    '/root/..',
    '/root/%2e%2e',
    '/%2e%2e/%2e%2e/etc/passwd',
    `/root/${'a'.repeat(7_000)}`,
    '/root/target.git.git',
    '/root/%C3%28',
    '/root/%zz',
  ]
  const { hostname, port } = new URL(await forge.url())
  // `fetch` would tidy the paths up: this sends them as they are.
  const statusOf = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ hostname, port, path, headers: basic(forge.root) }, (response) => resolve(response.resume().statusCode ?? 0))
      sent.on('error', reject).end()
    })
  for (const path of paths)
    for (const tail of tails) expect([path, [400, 404]]).toEqual([path, expect.arrayContaining([await statusOf(`${path}/${tail}`)])])
  expect(await statusOf(`/root/target.git/${tails[0]}`)).toBe(200)
  expect((await forge.as(forge.root).get('/projects')).headers['x-total']).toBe(before)
  expect(project.full_path).toBe('root/target')
})

test('a ref with a name git does not take is refused, and the push with it', async () => {
  const { forge, project, address, pack, after } = await pushAtHand()
  const names = [
    'refs/heads/a..b',
    'refs/heads/a b',
    'refs/heads/.a',
    'refs/heads/a.lock',
    'refs/heads/a~1',
    'refs/heads/a^',
    'refs/heads/a:b',
  ]
  const odd = [
    ...names,
    'refs/heads/a?',
    'refs/heads/[',
    'refs/heads/a\\b',
    'refs/heads/',
    'refs/heads/x@{1}',
    'HEAD',
    'main',
    '../config',
    'refs/../HEAD',
  ]
  for (const name of odd) {
    const lines = [packet(`${zero} ${after} ${name}\0 report-status`), packet(`${zero} ${after} refs/heads/good-${odd.indexOf(name)}`)]
    const answer = await post(forge, address, Buffer.concat([...lines, flush, pack]), { user: forge.root })
    expect([
      name,
      answer.status,
      answer.text.match(/^.{4}ng .* (?:funny refname|Gitstead: The name of the .* is invalid\.)$/gm)?.length,
    ]).toEqual([name, 200, 2])
  }
  const refs = (await git(project.dir, 'for-each-ref', '--format=%(refname)')).split('\n')
  expect(refs).toEqual(['refs/heads/main'])
})

test('a push with a wrong old commit of a ref changes nothing', async () => {
  const { forge, project, address, pack, after, before } = await pushAtHand()
  const wrongBefore = pushBody({ before: after, after, ref: 'refs/heads/main' }, pack)
  const answer = await post(forge, address, wrongBefore, { user: forge.root })
  expect(answer.text).toContain('ng refs/heads/main')
  expect((await contentsOf(project.dir)).refs).toBe(before.refs)
})

onOneEngine('objects that would be harmful to check out are refused, and nothing of them stays', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const before = await contentsOf(project.dir)
  const dir = await workTree({ 'a.txt': 'a' })
  const blob = await git(dir, 'rev-parse', 'HEAD:a.txt')
  const { writeFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  for (const [name, fieldError] of [
    ['.git', 'hasDotgit'],
    ['.GIT', 'hasDotgit'],
    ['..', 'hasDotdot'],
    ['a/b', 'fullPathname'],
  ] as const) {
    const file = join(dir, '.git', 'raw')
    await writeFile(file, Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]))
    const tree = await git(dir, 'hash-object', '-t', 'tree', '--literally', '-w', file)
    const head = await git(dir, 'commit-tree', '-m', 'bad', tree)
    const refused = await tryGit(dir, 'push', await forge.remote(project, forge.root), `${head}:refs/heads/main`)
    expect([name, refused.code, refused.stderr]).toEqual([name, 1, expect.stringContaining(fieldError)])
  }
  expect(await contentsOf(project.dir)).toEqual(before)
})

onOneEngine('old objects with flaws that harm nobody are taken', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await workTree({ 'folder/a.txt': 'a' })
  const folder = await git(dir, 'rev-parse', 'HEAD:folder')
  const { writeFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  const file = join(dir, '.git', 'raw')
  await writeFile(file, Buffer.concat([Buffer.from('040000 folder\0'), Buffer.from(folder, 'hex')]))
  const tree = await git(dir, 'hash-object', '-t', 'tree', '--literally', '-w', file)
  await writeFile(
    file,
    `tree ${tree}\nauthor Ada <ada@example.com>1700000000 +0000\ncommitter Ada <ada@example.com> 1700000000 +051800\n\nOld\n`,
  )
  const head = await git(dir, 'hash-object', '-t', 'commit', '--literally', '-w', file)

  await git(dir, 'push', '--quiet', await forge.remote(project, forge.root), `${head}:refs/heads/main`)
  const read = (path: string) => forge.as(forge.root).get(`/projects/${project.id}/repository/${path}`)
  expect((await read('commits/main')).body).toMatchObject({ id: head, author_name: 'Ada', author_email: 'ada@example.com', title: 'Old' })
  expect((await read('tree')).body).toMatchObject([{ name: 'folder', type: 'tree', mode: '040000' }])
  expect((await read('files/folder%2Fa.txt/raw?ref=main')).text).toBe('a')
})

test('a push without bands is told why it was refused', async () => {
  const { forge, project, pack, after, address, before } = await pushAtHand()
  const answer = await post(forge, address, pushBody({ after, ref: 'refs/heads/HEAD' }, pack), { user: forge.root })
  expect([answer.status, answer.text]).toEqual([
    200,
    expect.stringContaining('ng refs/heads/HEAD Gitstead: The name of the branch HEAD is invalid.'),
  ])
  await expectUnharmed(project, before)
})
