/** Pushover: a notification on devices for each push. */
import type { Kind } from './kind.ts'
import { postForm, pushKind, refName, textOf } from './requests.ts'

const sounds = `pushover bike bugle cashregister classical cosmic falling gamelan incoming intermission magic mechanical pianobar siren
  spacealarm tugboat alien climb persistent echo updown none`.split(/\s+/)

export const pushover: Kind = {
  slug: 'pushover',
  title: 'Pushover',
  description: 'Send each push as a notification to phones and desktops',
  group: 'chat',
  fields: [
    { name: 'api_key', title: 'Application key', type: 'text', required: true, secret: true },
    { name: 'user_key', title: 'User key', type: 'text', required: true, secret: true },
    {
      name: 'priority',
      title: 'Priority',
      type: 'select',
      required: true,
      default: '0',
      choices: [
        ['-2', 'Lowest'],
        ['-1', 'Low'],
        ['0', 'Normal'],
        ['1', 'High'],
      ],
    },
    { name: 'device', title: 'Device', type: 'text', placeholder: 'All that are active' },
    {
      name: 'sound',
      title: 'Sound',
      type: 'select',
      choices: [['', 'That of the device'], ...sounds.map((sound): [string, string] => [sound, sound])],
    },
  ],
  events: ['push_events'],
  *act(payload, settings) {
    const ref = refName(payload.ref)
    const done = { new: 'pushed new branch', removed: 'deleted branch', moved: 'pushed to branch' }[pushKind(payload)]
    const { path_with_namespace, web_url } = payload.project
    const count = payload.total_commits_count ?? 0
    yield postForm('https://api.pushover.net/1/messages.json', {
      token: textOf(settings, 'api_key'),
      user: textOf(settings, 'user_key'),
      device: textOf(settings, 'device'),
      priority: textOf(settings, 'priority') || '0',
      sound: textOf(settings, 'sound'),
      title: path_with_namespace.slice(0, 250),
      message: `${payload.user_name} ${done} "${ref}".${count > 0 ? `\nTotal commits count: ${count}` : ''}`.slice(0, 1_024),
      url: web_url,
      url_title: `See project ${path_with_namespace}`.slice(0, 100),
    })
  },
}
