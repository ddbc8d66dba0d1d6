/** Clients of the interface that know nothing of us, unmodified, set up webhooks, integrations and mirrors. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')
/** An address: names would be looked up. */
const url = 'https://93.184.216.34/hook'

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_hooks.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_hooks.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const { id } = await forge.project({ group })
  const api = new Gitlab({ host: await forge.url(), token: owner.token })

  const hook = await api.ProjectHooks.add(id, url, { issuesEvents: true, token: 'hush' } as never)
  expect([hook.url, hook.issues_events, hook.push_events]).toEqual([url, true, true])
  expect((await api.ProjectHooks.edit(id, hook.id, `${url}/2`, { pushEvents: false } as never)).push_events).toBe(false)
  expect((await api.ProjectHooks.all(id)).map((one) => one.url)).toEqual([`${url}/2`])
  expect((await api.ProjectHooks.show(id, hook.id)).issues_events).toBe(true)
  await api.ProjectHooks.remove(id, hook.id)
  await expect(api.ProjectHooks.show(id, hook.id)).rejects.toThrow('404 Not found')

  const above = await api.GroupHooks.add(group.id, url, { releasesEvents: true } as never)
  expect((await api.GroupHooks.all(group.id)).map((one) => one.id)).toEqual([above.id])
  await api.GroupHooks.remove(group.id, above.id)

  await api.Integrations.edit(id, 'slack', { webhook: `${url}/secret`, pushEvents: false } as never)
  const shown = await api.Integrations.show(id, 'slack')
  expect([shown.active, shown.push_events, JSON.stringify(shown).includes('secret')]).toEqual([true, false, false])
  expect((await api.Integrations.all(id)).map(({ slug }) => slug)).toEqual(['slack'])
  await api.Integrations.disable(id, 'slack')
  expect(await api.Integrations.all(id)).toEqual([])

  const mirror = await api.ProjectRemoteMirrors.createPushMirror(id, 'https://me:secret@93.184.216.34/a.git', { enabled: false } as never)
  expect((await api.ProjectRemoteMirrors.all(id)).map((one) => [one.id, one.enabled])).toEqual([[mirror.id, false]])

  const instance = new Gitlab({ host: await forge.url(), token: forge.root.token })
  const system = await instance.SystemHooks.create(url, { pushEvents: true } as never)
  expect((await instance.SystemHooks.all()).map((one) => one.id)).toContain(system.id)
  expect((await instance.SystemHooks.test(system.id)).event_name).toBe('project_create')
  await instance.SystemHooks.remove(system.id)
})
