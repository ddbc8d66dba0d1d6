/** Campfire: one line per push, posted in the room with that name. */
import type { Kind, Reply } from './kind.ts'
import { basic, compareUrl, getJson, jsonOf, plural, postJson, pushKind, refName, textOf } from './requests.ts'

export const campfire: Kind = {
  slug: 'campfire',
  title: 'Campfire',
  description: 'Send a line about each push to a room of Campfire',
  group: 'chat',
  fields: [
    { name: 'token', title: 'Token', type: 'text', required: true, secret: true },
    { name: 'subdomain', title: 'Subdomain', type: 'text' },
    { name: 'room', title: 'Room', type: 'text', placeholder: 'Name of the room' },
  ],
  events: ['push_events'],
  *act(payload, settings) {
    const subdomain = textOf(settings, 'subdomain').replace(/[^A-Za-z0-9-]/g, '')
    const url = `https://${subdomain === '' ? 'api' : subdomain}.campfirenow.com`
    const credentials = basic(textOf(settings, 'token'), 'X')
    const id = roomCalled(textOf(settings, 'room'), yield getJson(`${url}/rooms.json`, credentials))
    if (id === null) return
    const ref = refName(payload.ref)
    const said = {
      new: `pushed new branch ${ref}`,
      removed: `removed branch ${ref}`,
      moved: `pushed ${plural(payload.total_commits_count ?? 0, 'commit')} to ${ref}. ${compareUrl(payload)}`,
    }[pushKind(payload)]
    const body = `[${payload.project.path_with_namespace}] ${payload.user_name} ${said}`
    yield postJson(`${url}/room/${id}/speak.json`, { message: { type: 'TextMessage', body } }, credentials)
  },
}

function roomCalled(name: string, reply: Reply): number | null {
  const { rooms } = (jsonOf(reply) ?? {}) as { rooms?: Array<{ id: number; name: string }> }
  const found = Array.isArray(rooms) ? rooms.find((room) => room?.name === name) : undefined
  return Number.isSafeInteger(found?.id) ? (found?.id ?? null) : null
}
