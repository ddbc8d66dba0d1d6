/** Accounts follow the directory: users who leave it are blocked, those who return are unblocked, and groups have its members. */
import { Attribute, Change } from 'ldapts'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDocument } from '../../../../test/support/documents.ts'
import { signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, openForge, type TestUser } from '../../../../test/support/forge.ts'
import { hasNoSlapd, openDirectory, suffix, type TestDirectory } from '../../../../test/support/servers/slapd.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { directoryName, signInByLogin } from '../../people/provider-sign-in/provider-sign-in.ts'
import { syncDirectory } from './directory-sync.service.ts'

const password = 'in the directory'
const [developers, owners] = [`cn=developers,ou=groups,${suffix}`, `cn=owners,ou=groups,${suffix}`]

/** Directories may spell a name in this form, which must count as equal. */
const spaced = (dn: string | undefined) => (dn ?? '').toUpperCase().replaceAll(',', ', ')

// Without the Debian package slapd there is no directory to follow.
describe.skipIf(hasNoSlapd)('with a directory', () => {
  let directory: TestDirectory
  let forge: Forge
  const dns: Record<string, string> = {}

  beforeAll(async () => {
    directory = await openDirectory()
    forge = await openForge({ config: { identity_providers: { openid: [], ldap: directory.config } } })
    for (const uid of ['ada', 'bob', 'cyd']) {
      dns[uid] = await directory.addPerson(uid, password)
      await signInByLogin(forge.app, { login: uid, password: password, address: '192.0.2.1', by: 'password' })
    }
    await directory.change(async (client) => {
      await client.add(developers, { objectClass: 'groupOfNames', cn: 'developers', member: [spaced(dns.ada), spaced(dns.bob)] })
      await client.add(owners, { objectClass: 'posixGroup', cn: 'owners', gidNumber: '1', memberUid: ['ada'] })
    })
  })

  const sync = () => syncDirectory(forge.app)
  const userOf = async (username: string) =>
    forge.app.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirstOrThrow()
  const stateOf = async (username: string) => (await userOf(username)).state
  const replace = (dn: string, type: string, values: string[]) =>
    directory.change((client) => client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) })))

  const membersOf = async ({ id }: LocatedGroup) =>
    Object.fromEntries(
      (await forge.as(forge.root).get(`/groups/${id}/members`)).body.map((one: { username: string; access_level: number }) => [
        one.username,
        one.access_level,
      ]),
    )

  test('who is disabled or deleted there is blocked here, and unblocked when they are back', async () => {
    await sync()
    expect(await stateOf('bob')).toBe('active')
    await replace(dns.bob ?? '', 'employeeType', ['disabled'])
    await directory.change((client) => client.del(dns.cyd ?? ''))
    await sync()
    expect([await stateOf('ada'), await stateOf('bob'), await stateOf('cyd')]).toEqual(['active', 'blocked', 'blocked'])
    const { body } = await forge.as(forge.root).get('/users?username=bob')
    expect(body[0].state).toBe('blocked')
    await replace(dns.bob ?? '', 'employeeType', [])
    await directory.addPerson('cyd', password)
    await sync()
    expect([await stateOf('bob'), await stateOf('cyd')]).toEqual(['active', 'active'])
  })

  test('whom an administrator has blocked stays blocked, whatever the directory says', async () => {
    const { id } = await userOf('bob')
    await forge.as(forge.root).post(`/users/${id}/block`)
    await sync()
    expect(await stateOf('bob')).toBe('blocked')
    await forge.as(forge.root).post(`/users/${id}/unblock`)
  })

  test('the last administrator stays, and so do users of other providers', async () => {
    const user = await forge.user({ provider: 'corp', extern_uid: `uid=ghost,ou=people,${suffix}` })
    await forge.as(forge.root).put(`/users/${forge.root.id}`, { provider: directoryName, extern_uid: `uid=nobody,ou=people,${suffix}` })
    await sync()
    expect([await stateOf('root'), await stateOf(user.username)]).toEqual(['active', 'active'])
    await forge.as(forge.root).delete(`/users/${forge.root.id}/identities/${directoryName}`)
  })

  test('where nobody is found, or the directory is not reached, nobody is blocked', async () => {
    const { ldap } = forge.app.config.identity_providers
    if (!ldap) throw new Error('no directory')
    const { base, url } = ldap
    ldap.base = `ou=nowhere,${suffix}`
    await sync()
    Object.assign(ldap, { base, url: 'ldap://127.0.0.1:1' })
    await expect(sync()).rejects.toThrow('The directory cannot be asked now.')
    ldap.url = url
    expect([await stateOf('ada'), await stateOf('bob')]).toEqual(['active', 'active'])
  })

  test('members of groups there are members of groups here, with the higher of their levels; all others stay', async () => {
    const owner: TestUser = await forge.user()
    const group = await forge.group({ owner })
    directory.config.groups = [
      { dn: developers, group: group.full_path, access_level: 30 },
      { dn: owners, group: group.full_path, access_level: 50 },
    ]
    await sync()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, ada: 50, bob: 30 })
    await replace(developers, 'member', [dns.cyd ?? ''])
    await replace(owners, 'memberUid', [])
    await sync()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, cyd: 30 })
    await sync()
    directory.config.groups = []
  })

  test('a group that is missing there or here changes nothing, and the last owner stays', async () => {
    const group = await forge.group()
    await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: (await userOf('ada')).id, access_level: 50 })
    await forge.as(forge.root).delete(`/groups/${group.id}/members/${forge.root.id}`)
    const mapped = { group: group.full_path, access_level: 20 }
    directory.config.groups = [
      { dn: `cn=nobody,ou=groups,${suffix}`, ...mapped },
      { dn: developers, ...mapped, group: 'no-such-group' },
    ]
    await sync()
    directory.config.groups = [{ dn: developers, ...mapped }]
    await sync()
    expect(await membersOf(group)).toEqual({ ada: 50, cyd: 20 })
    directory.config.groups = []
  })

  test('who signs in for the first time is a member of their groups without waiting for the hour', async () => {
    const group = await forge.group({ owner: await forge.user() })
    const dn = await directory.addPerson('dan', password)
    await replace(developers, 'member', [dn])
    directory.config.groups = [{ dn: developers, group: group.full_path, access_level: 30 }]
    await signInByLogin(forge.app, { login: 'dan', password: password, address: '192.0.2.1', by: 'password' })
    await forge.drain()
    expect((await membersOf(group)).dan).toBe(30)
    directory.config.groups = []
  })

  test('owners link their groups to groups of the directory, and groups within these count, also in a circle', async () => {
    const owner = await forge.user()
    const group = await forge.group({ owner })
    const [inner, outer] = [`cn=inner,ou=groups,${suffix}`, `cn=outer,ou=groups,${suffix}`]
    const nobody = `cn=nobody,ou=groups,${suffix}`
    await directory.change(async (client) => {
      await client.add(inner, { objectClass: 'groupOfNames', cn: 'inner', member: [dns.ada ?? '', outer, nobody] })
      await client.add(outer, { objectClass: 'groupOfNames', cn: 'outer', member: [spaced(inner), dns.bob ?? ''] })
    })
    const links = `/groups/${group.id}/ldap_group_links`
    const me = forge.as(owner)
    const sent = { provider: directoryName, cn: 'outer', group_access: 30 }
    const made = await me.post(links, sent)
    expect([made.status, made.body]).toEqual([201, { cn: 'outer', group_access: 30, provider: directoryName, filter: null }])
    const refused = [{ ...sent }, { ...sent, provider: 'corp' }, { ...sent, cn: undefined }, { ...sent, group_access: 35 }]
    for (const body of refused) expect((await me.post(links, body)).status).toBe(400)
    expect((await me.post(links, { ...sent, cn: undefined, filter: '(uid=ada)' })).status).toBe(403)
    const root = forge.as(forge.root)
    for (const filter of ['uid=ada)(', '(uid=ada']) expect((await root.post(links, { ...sent, cn: undefined, filter })).status).toBe(400)
    expect((await root.post(links, { ...sent, filter: '(uid=ada)' })).status).toBe(400)
    await forge.drain()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, ada: 30, bob: 30 })

    await root.post(links, { provider: directoryName, filter: '(mail=cyd@*)', group_access: 40 })
    await replace(outer, 'member', [dns.bob ?? ''])
    expect((await me.post(`/groups/${group.id}/ldap_sync`)).status).toBe(202)
    await forge.drain()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, bob: 30, cyd: 40 })
    const listed = await me.get(links)
    expect(listed.body.map((one: { cn: string | null; filter: string | null }) => [one.cn, one.filter])).toEqual([
      ['outer', null],
      [null, '(mail=cyd@*)'],
    ])
    expect((await me.delete(`${links}?provider=${directoryName}`)).status).toBe(400)
    expect((await me.delete(`${links}?provider=${directoryName}&filter=(mail=cyd@*)`)).status).toBe(204)
    expect((await me.delete(`${links}/${directoryName}/outer`)).status).toBe(204)
    expect((await me.delete(`${links}/outer`)).status).toBe(404)
    await sync()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, bob: 30, cyd: 40 })
    const audit = await me.get(`/groups/${group.id}/audit_events`)
    expect(JSON.stringify(audit.body)).toContain('Linked the group outer of the directory, with access level 30')
  })

  test('the page of a group’s links adds, follows and removes them; a filter is for administrators', async () => {
    const owner = await forge.user({ password })
    const group = await forge.group({ owner })
    const [me, root] = [await signedIn(forge, owner), await signedIn(forge, forge.root)]
    const links = `/groups/${group.full_path}/-/ldap_group_links`
    expect((await me.get(`/groups/${group.full_path}/-/edit`)).text).toContain(`href="${links}"`)
    expect((await me.get(links)).text).toContain('The group has no links to the directory.')
    const refused = await me.submit(links, links, { cn: '', group_access: '30' })
    expect([refused.status, refused.text.includes('id="cn-error"')]).toEqual([422, true])
    expect((await me.submit(links, links, { cn: 'owners', group_access: '30' })).status).toBe(303)
    await replace(owners, 'memberUid', ['ada'])
    expect((await me.submit(links, `${links}/sync`)).status).toBe(303)
    await forge.drain()
    expect(await membersOf(group)).toEqual({ root: 50, [owner.username]: 50, ada: 30 })
    const filter = '(mail=cyd@*)'
    const form_token = /name="form_token" value="([^"]+)"/.exec((await me.get(links)).text)?.[1] ?? ''
    expect((await me.post(`${links}/filters`, { form_token, filter, group_access: '20' })).status).toBe(403)
    const wrong = await root.submit(links, `${links}/filters`, { filter: '(uid=<b>', group_access: '20' })
    expect([wrong.status, wrong.text.includes('id="filter-error"'), wrong.text.includes('value="(uid=&lt;b&gt;"')]).toEqual([
      422,
      true,
      true,
    ])
    expect((await root.submit(links, `${links}/filters`, { filter, group_access: '20' })).status).toBe(303)
    const page = await me.get(links)
    expect([readDocument(page.text).faults, page.text.includes(filter)]).toEqual([[], true])
    for (const key of [
      { cn: 'owners', filter: '' },
      { cn: '', filter },
    ])
      expect((await me.submit(links, `${links}/delete`, { provider: directoryName, ...key })).status).toBe(303)
    expect((await me.post(`${links}/delete`, { form_token, provider: directoryName, cn: 'owners', filter: '' })).status).toBe(404)
  })
})
