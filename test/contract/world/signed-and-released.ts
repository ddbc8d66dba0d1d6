/** Creates the signed commit and tag, and the release, of the project that the contract tests read. */
import type { Forge, TestProject, TestUser } from '../../support/forge.ts'
import { git, gitWriting } from '../../support/git.ts'

/** A commit and its tag `signed`, both with an invalid signature: the id of the commit. */
export async function makeSignedCommit({ dir }: TestProject): Promise<string> {
  const tree = await git(dir, 'rev-parse', 'main^{tree}')
  const person = 'Ada <ada@example.com> 1700000000 +0000'
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----'
  const commit = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n${signature}\n\nSigned\n`
  const oid = (await gitWriting(dir, commit, 'hash-object', '-t', 'commit', '-w', '--stdin')).trim()
  const inTag = signature.slice('gpgsig '.length).replaceAll('\n ', '\n')
  const tag = `object ${oid}\ntype commit\ntag signed\ntagger ${person}\n\nSigned\n${inTag}\n`
  await git(dir, 'update-ref', 'refs/tags/signed', (await gitWriting(dir, tag, 'hash-object', '-t', 'tag', '-w', '--stdin')).trim())
  return oid
}

/** A release of the unprotected tag `released`: the id of its only link. */
export async function makeRelease(forge: Forge, insider: TestUser, project: TestProject): Promise<string> {
  await forge.as(insider).post(`/projects/${project.id}/releases`, { tag_name: 'released', ref: 'main', description: '**Done**' })
  const link = { name: 'Binary', url: 'https://example.com/binary', direct_asset_path: '/bin/it' }
  return String((await forge.as(insider).post(`/projects/${project.id}/releases/released/assets/links`, link)).body.id)
}
