import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { writeSettings } from '../../../src/features/instance/settings/settings.service.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { addKey, clientOptions, enableKey, hasSsh, keyOf, keyPair, removeKey, ssh, sshHost, withKey } from '../../support/ssh.ts'
import { commit, contentsOf, workTree } from '../git/wire.ts'

cpuBudget(6, 'Clones and pushes over SSH.')

const withSsh = test.skipIf(!hasSsh)

for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
  withSsh(`a client with a key of type ${type} is greeted by name, and not by a stranger's`, async () => {
    const forge = await testForge()
    const host = await sshHost()
    const user = await forge.user()
    // The usual 3072 bits of RSA take seconds to find.
    const bits = type === 'rsa' ? 2_048 : undefined
    const [known, unknown] = [await keyPair(type, bits), await keyPair(type, bits)]
    await addKey(known.line, user)
    expect(await ssh(host, ['-T', ...clientOptions(known.file)])).toEqual({
      code: 0,
      stdout: '',
      stderr: `Welcome to Gitstead, @${user.username}!\n`,
    })
    const refused = await ssh(host, ['-T', ...clientOptions(unknown.file)])
    expect([refused.code, refused.stderr]).toEqual([255, 'git@127.0.0.1: Permission denied (publickey).\r\n'])
  })
}

withSsh('only the user git is known', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const { file } = await keyOf(await forge.user())
  const refused = await ssh(host, ['-l', 'root', '-T', ...clientOptions(file)])
  expect([refused.code, refused.stderr]).toEqual([255, expect.stringContaining('Permission denied (publickey)')])
})

for (const version of ['0', '2']) {
  withSsh(`with protocol version ${version}: push, clone, force, tags, deletion`, async () => {
    const forge = await testForge()
    const host = await sshHost()
    const key = await keyOf(forge.root)
    const project = await forge.project({ files: null })
    const dir = await workTree()
    const run = (...args: string[]) => git(dir, ...withKey(key), '-c', `protocol.version=${version}`, ...args)
    await git(dir, 'remote', 'add', 'origin', host.remote(project))
    await run('push', '--quiet', 'origin', 'main', 'main:work')
    await git(dir, 'tag', 'light')
    await git(dir, 'tag', '--message', 'said', 'heavy')
    await run('push', '--quiet', 'origin', '--tags')
    expect((await git(project.dir, 'for-each-ref', '--format=%(refname) %(objecttype)')).split('\n')).toEqual([
      'refs/heads/main commit',
      'refs/heads/work commit',
      'refs/tags/heavy tag',
      'refs/tags/light commit',
    ])
    await git(dir, 'commit', '--quiet', '--amend', '--message', 'Said better')
    await run('push', '--quiet', '--force', 'origin', 'main:work')
    expect(await git(project.dir, 'rev-parse', 'work')).toBe(await git(dir, 'rev-parse', 'main'))
    await run('push', '--quiet', '--delete', 'origin', 'work', 'heavy', 'light')
    expect(await git(project.dir, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    const head = await git(project.dir, 'rev-parse', 'main')
    expect(await run('ls-remote', 'origin')).toBe(`${head}\tHEAD\n${head}\trefs/heads/main`)
  })
}

withSsh('GIT_PROTOCOL reaches git: version 2 is spoken when asked for, and not otherwise', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const { file } = await keyOf(forge.root)
  const project = await forge.project()
  const asked = (...options: string[]) => ssh(host, [...options, ...clientOptions(file)], `git-upload-pack '${project.full_path}'`)
  const two = await asked('-o', 'SetEnv=GIT_PROTOCOL=version=2')
  expect(two.stdout).toMatch(/^000eversion 2\n/)
  expect((await asked()).stdout).toMatch(/^[0-9a-f]{4}[0-9a-f]{40} HEAD\0/)
  const odd = await asked('-o', 'SetEnv=GIT_PROTOCOL=version=2;x OTHER=1')
  expect(odd.stdout).toMatch(/^[0-9a-f]{4}[0-9a-f]{40} HEAD\0/)
})

withSsh('shallow and partial clones, and an archive, are served', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const key = await keyOf(forge.root)
  const project = await forge.project({ commits: [{ files: { 'a.txt': 'a' } }, { files: { 'b.txt': 'b' } }] })
  const folder = await forge.folder()
  await git(folder, ...withKey(key), 'clone', '--quiet', '--depth=1', host.remote(project), 'shallow')
  expect(await git(`${folder}/shallow`, 'rev-list', '--count', 'HEAD')).toBe('1')
  await git(folder, ...withKey(key), 'clone', '--quiet', '--bare', '--filter=blob:none', host.remote(project), 'partial')
  expect(await git(`${folder}/partial`, 'rev-list', '--all', '--objects', '--missing=print')).toMatch(/^\?[0-9a-f]{40}$/m)
  const archived = await git(folder, ...withKey(key), 'archive', `--remote=${host.remote(project)}`, '--format=tar', 'main', 'a.txt')
  expect(archived).toContain('a.txt')
})

withSsh('a push refused by protection tells why, and moves nothing', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const key = await keyOf(developer)
  const dir = await forge.folder()
  await git(dir, ...withKey(key), 'clone', '--quiet', host.remote(project), `${dir}/x`)
  await commit(`${dir}/x`, { 'a.txt': 'a' })
  const before = await contentsOf(project.dir)
  const refused = await tryGit(`${dir}/x`, ...withKey(key), 'push', 'origin', 'main')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/remote: Gitstead: You are not allowed to push code to protected branches on this project\./)
  expect(await contentsOf(project.dir)).toEqual(before)
})

withSsh('a push creates the project it names; one with a reserved name is refused in sentences', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const user = await forge.user()
  const key = await keyOf(user)
  const dir = await workTree()
  await git(dir, ...withKey(key), 'push', '--quiet', '-o', 'ci.skip', host.remote(`${user.username}/fresh`), 'main')
  expect((await forge.as(user).get(`/projects/${user.username}%2Ffresh`)).body).toMatchObject({
    visibility: 'private',
    default_branch: 'main',
  })
  const refused = await tryGit(dir, ...withKey(key), 'push', host.remote(`${user.username}/tree`), 'main')
  expect(refused.code).toBe(128)
  expect(refused.stderr).toMatch(/^Gitstead: (Name|Path) tree is a reserved name\.$/m)
  expect((await forge.as(user).get(`/projects/${user.username}%2Ftree`)).status).toBe(404)
})

withSsh('who may not is told so: archived, no member, no such project', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const [owner, stranger] = [await forge.user(), await forge.user()]
  const [project, open] = [await forge.project({ owner }), await forge.project({ owner, visibility: 'public' })]
  const [mine, theirs] = [await keyOf(owner), await keyOf(stranger)]
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute()
  const dir = await workTree()
  const push = async (key: typeof mine, path: string) => (await tryGit(dir, ...withKey(key), 'push', host.remote(path), 'main:x')).stderr
  expect(await push(mine, project.full_path)).toMatch(/^Gitstead: You are not allowed to push code to an archived project\.$/m)
  expect(await push(theirs, open.full_path)).toMatch(/^Gitstead: You are not allowed to push code to this project\.$/m)
  expect(await push(theirs, project.full_path)).toMatch(/^Gitstead: The project you were looking for could not be found\.$/m)
  expect(await push(theirs, `${owner.username}/none`)).toMatch(/^Gitstead: The project you were looking for could not be found\.$/m)
})

withSsh('a blocked user, and one whose key is forbidden by now, come in no more', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const [blocked, user] = [await forge.user(), await forge.user()]
  const [first, second] = [await keyOf(blocked), await keyOf(user)]
  await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute()
  expect((await ssh(host, ['-T', ...clientOptions(first.file)])).code).toBe(255)
  await writeSettings(forge.app.db, { ed25519_key_restriction: -1 })
  expect((await ssh(host, ['-T', ...clientOptions(second.file)])).code).toBe(255)
  await writeSettings(forge.app.db, { ed25519_key_restriction: 0 })
  expect((await ssh(host, ['-T', ...clientOptions(second.file)])).code).toBe(0)
})

withSsh('a membership that has expired opens nothing', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const key = await keyOf(developer)
  expect((await tryGit('/', ...withKey(key), 'ls-remote', host.remote(project))).code).toBe(0)
  await forge.app.db.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', developer.id).execute()
  const refused = await tryGit('/', ...withKey(key), 'ls-remote', host.remote(project))
  expect(refused.stderr).toMatch(/^Gitstead: The project you were looking for could not be found\.$/m)
})

withSsh('only the allowed protocol works', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const key = await keyOf(forge.root)
  const project = await forge.project()
  const overSsh = () => tryGit('/', ...withKey(key), 'ls-remote', host.remote(project))
  const overHttp = async () => tryGit('/', 'ls-remote', await forge.remote(project, forge.root))
  try {
    await writeSettings(forge.app.db, { enabled_git_access_protocol: 'http' })
    expect([(await overSsh()).stderr, (await overHttp()).code]).toEqual([
      expect.stringMatching(/^Gitstead: Git access over SSH is not allowed\.$/m),
      0,
    ])
    expect((await ssh(host, ['-T', ...clientOptions(key.file)])).code).toBe(0)
    await writeSettings(forge.app.db, { enabled_git_access_protocol: 'ssh' })
    expect([(await overSsh()).code, (await overHttp()).stderr]).toEqual([
      0,
      expect.stringContaining('Git access over HTTP is not allowed.'),
    ])
  } finally {
    await writeSettings(forge.app.db, { enabled_git_access_protocol: null })
  }
})

withSsh('a deploy key opens its projects and what is public, and pushes where it may', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const maker = await forge.user()
  const [readable, writable] = [await forge.project({ maintainer: maker }), await forge.project({ maintainer: maker })]
  const [other, open] = [await forge.project({ maintainer: maker }), await forge.project({ visibility: 'public' })]
  const key = await keyPair()
  const id = await addKey(key.line, null, maker)
  await enableKey(id, readable, false)
  await enableKey(id, writable, true)

  expect((await ssh(host, ['-T', ...clientOptions(key.file)])).stderr).toBe('Welcome to Gitstead, deploy key test!\n')
  const read = async (project: { full_path: string }) => (await tryGit('/', ...withKey(key), 'ls-remote', host.remote(project))).code
  expect([await read(readable), await read(writable), await read(other), await read(open)]).toEqual([0, 0, 128, 0])

  const dir = await workTree()
  const push = (project: { full_path: string }) => tryGit(dir, ...withKey(key), 'push', host.remote(project), 'main:fresh')
  expect((await push(readable)).stderr).toMatch(/^Gitstead: This deploy key does not have write access to this project\.$/m)
  expect((await push(open)).stderr).toMatch(/^Gitstead: This deploy key does not have write access to this project\.$/m)
  expect((await push(other)).stderr).toMatch(/^Gitstead: The project you were looking for could not be found\.$/m)
  expect((await push({ full_path: `${maker.username}/made-by-key` })).code).toBe(128)
  expect((await push(writable)).code).toBe(0)
  const { body } = await forge.as(maker).get(`/projects/${writable.id}/repository/branches/fresh`)
  expect(body.commit.id).toBe(await git(dir, 'rev-parse', 'main'))
  const pushes = forge.app.db.selectFrom('events').select('author_id').where('project_id', '=', writable.id).orderBy('id', 'desc')
  expect((await pushes.executeTakeFirstOrThrow()).author_id).toBe(maker.id)

  await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', maker.id).execute()
  expect((await push(writable)).stderr).toMatch(
    /^Gitstead: This deploy key cannot push: the user who created it was blocked or deleted\.$/m,
  )
  await removeKey(id)
  expect((await ssh(host, ['-T', ...clientOptions(key.file)])).code).toBe(255)
})

withSsh('the use of a key is noted', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const pair = await keyPair()
  const id = await addKey(pair.line, await forge.user())
  await ssh(host, ['-T', ...clientOptions(pair.file)])
  await expect
    .poll(() => forge.app.db.selectFrom('ssh_keys').select('last_used_at').where('id', '=', id).executeTakeFirst())
    .toEqual({ last_used_at: expect.any(String) })
})

withSsh('terminals, subsystems and forwardings of every kind are refused', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const { file } = await keyOf(forge.root)
  const options = clientOptions(file)
  const terminal = await ssh(host, ['-tt', ...options])
  expect([terminal.code, terminal.stderr]).toEqual([255, expect.stringContaining('PTY allocation request failed')])
  const subsystem = await ssh(host, ['-s', ...options], 'sftp')
  expect([subsystem.code, subsystem.stderr]).toEqual([255, expect.stringContaining('subsystem request failed')])
  const backwards = await ssh(host, ['-N', '-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:1', ...options])
  expect([backwards.code, backwards.stderr]).toEqual([255, expect.stringContaining('remote port forwarding failed')])
  const onwards = await ssh(host, ['-W', '127.0.0.1:22', ...options])
  expect([onwards.code, onwards.stderr]).toEqual([255, expect.stringContaining('forwarding failed')])
})

for (const command of [
  'cat /etc/passwd',
  "git-upload-pack 'a/b' --x",
  "git-upload-pack 'a/b';id",
  "env --split-string='id' git-upload-pack a/b",
  '/bin/sh -c id',
]) {
  withSsh(`the command ${command} is not run`, async () => {
    const forge = await testForge()
    const host = await sshHost()
    const { file } = await keyOf(forge.root)
    const { processes } = await forge.cost(async () => {
      expect(await ssh(host, clientOptions(file), command)).toEqual({
        code: 128,
        stdout: '',
        stderr: 'Gitstead runs no other commands than those of git, on paths like group/project.git.\n',
      })
    })
    expect(processes).toBe(0)
  })
}

withSsh('what is cloned is what was pushed, to the byte', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const key = await keyOf(forge.root)
  const project = await forge.project({ files: null })
  const content = Buffer.alloc(3_000_000, 'abc\0\n\r')
  const dir = await workTree({ 'x.bin': content })
  await git(dir, ...withKey(key), 'push', '--quiet', host.remote(project), 'main')
  const folder = await forge.folder()
  await git(folder, ...withKey(key), 'clone', '--quiet', host.remote(project), 'x')
  expect((await readFile(`${folder}/x/x.bin`)).equals(content)).toBe(true)
})
