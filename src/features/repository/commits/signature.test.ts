/** Signatures of commits and tags, made by gpg and ssh-keygen, and read back with the keys that users have here. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, gitWriting } from '../../../../test/support/git.ts'
import { signatureTypesIn, verdictOf } from '../../../git/history/signature.ts'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const hasGpg = has('gpg')
const hasSsh = has('ssh-keygen')

let forge: Forge
let ada: TestUser
let project: TestProject
let home: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gs-sign-'))
  env = { ...process.env, GNUPGHOME: home }
  forge = await testForge()
  ada = await forge.user()
  project = await forge.project({ owner: ada })
})
afterAll(async () => {
  if (hasGpg) spawnSync('gpgconf', ['--kill', 'all'], { env })
  await rm(home, { recursive: true, force: true })
})

const gpg = (...args: string[]) =>
  execFileSync('gpg', ['--batch', '--quiet', '--passphrase', '', ...args], { env, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

function newGpgKey(email: string, ...expiry: string[]): string {
  gpg('--quick-generate-key', `Ada <${email}>`, 'ed25519', 'sign', ...(expiry.length > 0 ? expiry : ['never']))
  return gpg('--armor', '--export', email)
}

/** A commit on main, signed by whatever `config` says. */
function sign(email: string, config: string[]): string {
  const person = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: email }
  const args = [...config.flatMap((setting) => ['-c', setting]), 'commit-tree', '-S', '-m', 'Signed', 'main^{tree}']
  return execFileSync('git', ['-C', project.dir, ...args], { env: { ...env, ...person }, encoding: 'utf8' }).trim()
}
/** A tag of main, signed by whatever `config` says. */
function signTag(name: string, config: string[], message = 'Signed'): string {
  const person = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: ada.email }
  const args = [...config.flatMap((setting) => ['-c', setting]), 'tag', '-s', '-m', message, name, 'main']
  execFileSync('git', ['-C', project.dir, ...args], { env: { ...env, ...person } })
  return execFileSync('git', ['-C', project.dir, 'rev-parse', `refs/tags/${name}`], { encoding: 'utf8' }).trim()
}
const ofTag = (name: string) => forge.as(ada).get(`/projects/${project.id}/repository/tags/${name}/signature`)
const signature = async (oid: string) => (await forge.as(ada).get(`/projects/${project.id}/repository/commits/${oid}/signature`)).body

test.skipIf(!hasGpg)(
  'an OpenPGP signature is verified with a key of its committer, by the address of the key',
  { timeout: 60_000 },
  async () => {
    const key = newGpgKey(ada.email)
    const byKey = (email: string) => sign(email, [`user.signingkey=${ada.email}`])
    const oid = byKey(ada.email)
    expect(await signature(oid)).toEqual({
      signature_type: 'PGP',
      verification_status: 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: null,
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
      commit_source: 'git',
    })
    const { body } = await forge.as(ada).post('/user/gpg_keys', { key })
    expect(await signature(oid)).toMatchObject({
      verification_status: 'verified',
      gpg_key_id: body.id,
      gpg_key_primary_keyid: expect.stringMatching(/^[0-9A-F]{16}$/),
      gpg_key_user_name: 'Ada',
      gpg_key_user_email: ada.email,
    })
    // By the key of a user, in the name of another, or of nobody.
    const other = await forge.user()
    expect((await signature(byKey(other.email))).verification_status).toBe('unknown_key')
    expect((await signature(byKey('nobody@example.com'))).verification_status).toBe('unknown_key')
    // In the name of another address of the user: once it is confirmed it is theirs.
    const second = 'ada-second@example.com'
    await forge.as(ada).post('/user/emails', { email: second })
    await forge.app.db.updateTable('emails').set({ confirmed_at: null }).where('email', '=', second).execute()
    expect((await signature(byKey(second))).verification_status).toBe('unknown_key')
    await forge.app.db.updateTable('emails').set({ confirmed_at: new Date().toISOString() }).where('email', '=', second).execute()
    expect((await signature(byKey(second))).verification_status).toBe('same_user_different_email')

    const raw = execFileSync('git', ['-C', project.dir, 'cat-file', 'commit', oid], { encoding: 'utf8' })
    const forged = await gitWriting(project.dir, raw.replace(/Signed\n$/, 'Forged\n'), 'hash-object', '-t', 'commit', '-w', '--stdin')
    expect((await signature(forged.trim())).verification_status).toBe('unverified')
    signTag('by-gpg', [`user.signingkey=${ada.email}`])
    expect((await ofTag('by-gpg')).body).toMatchObject({ signature_type: 'PGP', verification_status: 'verified', gpg_key_id: body.id })
    await forge.as(ada).delete(`/user/gpg_keys/${body.id}`)
    expect((await signature(oid)).verification_status).toBe('unknown_key')
    expect((await ofTag('by-gpg')).body).toMatchObject({ signature_type: 'PGP', verification_status: 'unknown_key' })
  },
)

test.skipIf(!hasGpg)('a key without an email of its user verifies nothing', { timeout: 60_000 }, async () => {
  const user = await forge.user()
  await forge.as(user).post('/user/gpg_keys', { key: newGpgKey('stranger@example.com') })
  expect((await signature(sign(user.email, ['user.signingkey=stranger@example.com']))).verification_status).toBe('unverified_key')
})

test.skipIf(!hasSsh)('an SSH signature is verified by whose key it is', { timeout: 60_000 }, async () => {
  const file = join(home, 'ssh')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'laptop', '-f', file])
  const config = ['gpg.format=ssh', `user.signingkey=${file}.pub`]
  const oid = sign(ada.email, config)
  expect(await signature(oid)).toEqual({ signature_type: 'SSH', verification_status: 'unknown_key', key: null, commit_source: 'git' })
  const { body } = await forge.as(ada).post('/user/keys', { title: 'Laptop', key: await readFile(`${file}.pub`, 'utf8') })
  expect(await signature(oid)).toMatchObject({ verification_status: 'verified', key: { id: body.id, title: 'Laptop' } })
  const other = await forge.user()
  expect(await signature(sign(other.email, config))).toMatchObject({ verification_status: 'other_user', key: { id: body.id } })
  const raw = execFileSync('git', ['-C', project.dir, 'cat-file', 'commit', oid], { encoding: 'utf8' })
  const forged = await gitWriting(project.dir, raw.replace(/Signed\n$/, 'Forged\n'), 'hash-object', '-t', 'commit', '-w', '--stdin')
  expect((await signature(forged.trim())).verification_status).toBe('unverified')

  const tag = signTag('by-ssh', config, 'Signed\n-----BEGIN PGP SIGNATURE-----\nA line of the message')
  expect((await ofTag('by-ssh')).body).toMatchObject({ signature_type: 'SSH', verification_status: 'verified', key: { id: body.id } })
  // A signature covers the name and the message: with push access alone, a signed tag could be renamed or rewritten.
  const rawTag = execFileSync('git', ['-C', project.dir, 'cat-file', 'tag', tag], { encoding: 'utf8' })
  const changed = await gitWriting(project.dir, rawTag.replace('Signed', 'Forged'), 'hash-object', '-t', 'tag', '-w', '--stdin')
  await git(project.dir, 'update-ref', 'refs/tags/newer', tag)
  await git(project.dir, 'update-ref', 'refs/tags/by-ssh', changed.trim())
  for (const name of ['newer', 'by-ssh'])
    expect([name, (await ofTag(name)).body]).toEqual([name, expect.objectContaining({ verification_status: 'unverified', key: null })])
})

test('a missing signature is 404; a malformed or doubled one is unverified and leaves no files', async () => {
  const plain = await forge.as(ada).get(`/projects/${project.id}/repository/commits/main/signature`)
  expect([plain.status, plain.body]).toEqual([404, { message: '404 Signature Not Found' }])
  await git(project.dir, 'update-ref', 'refs/tags/light', 'main')
  await git(project.dir, '-c', 'user.name=Ada', '-c', `user.email=${ada.email}`, 'tag', '-a', '-m', 'Only said', 'annotated', 'main')
  for (const name of ['light', 'annotated'])
    expect([name, (await ofTag(name)).body]).toEqual([name, { message: '404 Signature Not Found' }])
  expect((await ofTag('none')).body).toEqual({ message: '404 Tag Not Found' })
  const tree = await git(project.dir, 'rev-parse', 'main^{tree}')
  const make = async (header: string) => {
    const person = `Ada <${ada.email}> 1700000000 +0000`
    const commit = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n${header}\n\nText\ngpgsig -----BEGIN PGP SIGNATURE-----\n`
    return (await gitWriting(project.dir, commit, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally')).trim()
  }
  const pgp = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----'
  // Other workers verify signatures in the folder of all.
  vi.stubEnv('TMPDIR', await forge.folder())
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [header, type, status] of [
    [pgp, 'PGP', 'unverified'],
    [`${pgp}\n${pgp}`, 'PGP', 'multiple_signatures'],
    ['gpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----', 'SSH', 'unverified'],
    ['gpgsig -----BEGIN SIGNED MESSAGE-----\n AAAA\n -----END SIGNED MESSAGE-----', 'X509', 'unverified'],
  ] as const) {
    expect([header, await signature(await make(header))]).toEqual([
      header,
      expect.objectContaining({ signature_type: type, verification_status: status }),
    ])
  }
  expect((await forge.as(ada).get(`/projects/${project.id}/repository/commits/${await make('x y')}/signature`)).status).toBe(404)
  expect(await readdir(tmpdir())).toEqual([])
})

test('text in a key or signature cannot pose as git’s verification output', () => {
  const line = (...words: string[]) => words.map((word) => `[GNUPG:] ${word}`).join('\n')
  const fingerprint = 'A'.repeat(40)
  const valid = `VALIDSIG ${'B'.repeat(40)} 2020-01-01 0 0 4 0 22 8 00 ${fingerprint}`
  expect(verdictOf(line('GOODSIG x Ada', valid))).toEqual({ result: 'good', fingerprint })
  expect(verdictOf(line('EXPKEYSIG x Ada', valid))).toEqual({ result: 'expired', fingerprint })
  expect(verdictOf(line('REVKEYSIG x Ada', valid))).toEqual({ result: 'revoked', fingerprint })
  expect(verdictOf(line('BADSIG x Ada', 'GOODSIG x Ada', valid))).toEqual({ result: 'bad' })
  expect(verdictOf(line('GOODSIG x Ada', valid, 'GOODSIG y Ada', valid))).toEqual({ result: 'bad' })
  expect(verdictOf(line('ERRSIG x', 'NO_PUBKEY x'))).toEqual({ result: 'unknown key' })
  expect(verdictOf('gpg: [GNUPG:] GOODSIG')).toEqual({ result: 'bad' })
  expect(verdictOf('error: cannot run gpg: No such file or directory')).toEqual({ result: 'bad' })
  expect(signatureTypesIn(Buffer.from('tree x\n\ngpgsig -----BEGIN PGP SIGNATURE-----'))).toEqual([])
})
