/** Refs of merge requests and of commits to keep, as clients of git see them over both protocols. */
import { expect, test } from 'vitest'
import { keepAroundRef, mergeRequestHeadRef, setServiceRefs } from '../../../src/git/refs/service-refs.ts'
import { testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { hasSsh, keyOf, sshHost, withKey } from '../../support/ssh.ts'
import { clone, commit } from './wire.ts'

/** A project with a commit that only its service refs lead to, and no branch where `isEmpty`. */
async function prepared(isEmpty = false) {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, commits: [{ files: { a: 'a' } }, { files: { a: 'b' } }] })
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const kept = await git(project.dir, 'commit-tree', '-p', 'main', '-m', 'Kept', tree)
  const repo = forge.app.git.open(project.id)
  await setServiceRefs(
    repo,
    new Map([
      [mergeRequestHeadRef(1), kept],
      [keepAroundRef(kept), kept],
    ]),
  )
  if (isEmpty) await git(project.dir, 'update-ref', '-d', 'refs/heads/main')
  return { forge, maintainer, project, kept }
}

for (const protocol of ['http', 'ssh'] as const) {
  const notBySsh =
    protocol === 'ssh' ? inFullRun('0.3 s of processor. Both protocols come to the same rules, which are tried over HTTP.') : {}
  const onBoth = test.skipIf(protocol === 'ssh' && !hasSsh)

  const remoteOf = async ({ forge, maintainer, project }: Awaited<ReturnType<typeof prepared>>) =>
    protocol === 'http'
      ? { remote: await forge.remote(project, maintainer), options: [] }
      : { remote: (await sshHost()).remote(project), options: withKey(await keyOf(maintainer)) }

  onBoth(`over ${protocol}, who fetches sees the refs of merge requests, and none of those that keep commits`, async () => {
    const it = await prepared()
    const { remote, options } = await remoteOf(it)
    for (const version of ['0', '2']) {
      const listed = await git(it.project.dir, ...options, '-c', `protocol.version=${version}`, 'ls-remote', remote)
      expect(listed.split('\n').map((line) => line.split('\t')[1])).toEqual(['HEAD', 'refs/heads/main', 'refs/merge-requests/1/head'])
    }
    const dir = await clone(await it.forge.remote(it.project, it.maintainer))
    await git(dir, ...options, 'fetch', '--quiet', remote, 'refs/merge-requests/1/head')
    expect(await git(dir, 'rev-parse', 'FETCH_HEAD')).toBe(it.kept)
  })

  onBoth(`over ${protocol}, a mirror is pushed though it knows none of these refs, and leaves them as they are`, notBySsh, async () => {
    const it = await prepared()
    const { remote, options } = await remoteOf(it)
    const dir = await clone(await it.forge.remote(it.project, it.maintainer))
    const head = await commit(dir, { a: 'c' })
    await git(dir, 'update-ref', '-d', 'refs/remotes/origin/main')
    await git(dir, 'symbolic-ref', '--delete', 'refs/remotes/origin/HEAD')

    const pushed = await tryGit(dir, ...options, 'push', '--mirror', remote)

    expect([pushed.code, pushed.stderr.includes('merge-requests')]).toEqual([0, false])
    expect((await git(it.project.dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n')).toEqual([
      `refs/heads/main ${head}`,
      `refs/keep-around/${it.kept} ${it.kept}`,
      `refs/merge-requests/1/head ${it.kept}`,
    ])
  })

  onBoth(`over ${protocol}, nobody creates, moves or deletes them, and a repository with nothing else takes a push`, notBySsh, async () => {
    const it = await prepared(true)
    const { remote, options } = await remoteOf(it)
    for (const [refspec, ref] of [
      [`+${it.kept}:refs/merge-requests/1/head`, 'refs/merge-requests/1/head'],
      [`${it.kept}:refs/merge-requests/2/head`, 'refs/merge-requests/2/head'],
      [`${it.kept}:refs/keep-around/x`, 'refs/keep-around/x'],
    ] as const) {
      const refused = await tryGit(it.project.dir, ...options, 'push', remote, refspec)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`The ref ${ref} is kept by the service.`)])
    }
    expect((await tryGit(it.project.dir, ...options, 'push', remote, ':refs/merge-requests/1/head')).code).toBe(1)
    await git(it.project.dir, ...options, 'push', '--quiet', remote, `${it.kept}:refs/heads/main`)
    expect(await git(it.project.dir, 'rev-parse', 'refs/heads/main', 'refs/merge-requests/1/head')).toBe(`${it.kept}\n${it.kept}`)
  })
}
