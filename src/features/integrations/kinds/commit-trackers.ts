/** Task trackers that are notified of commits: Asana, Assembla, Pivotal Tracker. */
import type { Field, Kind, Payload } from './kind.ts'
import { allowsBranch, getJson, isSuccess, postJson, refName, textOf } from './requests.ts'

const restriction: Field = {
  name: 'restrict_to_branch',
  title: 'Branches',
  type: 'text',
  help: 'Separated by commas; all if left empty.',
}

const asanaApi = 'https://app.asana.com/api/1.0/tasks'
/** `#1234` or the URL of a task, possibly preceded by a word that completes it. */
const asanaTask = /(?:\b(fix\w*|clos[ei]\w*)\W{1,3})?(?:https:\/\/app\.asana\.com\/\d{1,20}\/\d{1,20}\/(\d{1,20})|#(\d{1,20}))/gi
const maxTasks = 20

export const asana: Kind = {
  slug: 'asana',
  title: 'Asana',
  description: 'Add messages of commits as comments to the tasks they name',
  help: 'A message names tasks by #123456 or their address; "fix #123456" completes one.',
  group: 'tracker',
  fields: [{ name: 'api_key', title: 'Access token', type: 'text', required: true, secret: true }, restriction],
  events: ['push_events'],
  *act(payload, settings) {
    if (!allowsBranch(textOf(settings, 'restrict_to_branch'), payload.ref)) return
    const headers = { authorization: `Bearer ${textOf(settings, 'api_key')}` }
    for (const { id, text, completes } of namedTasks(payload)) {
      const task = yield getJson(`${asanaApi}/${id}`, headers)
      if (!isSuccess(task)) continue
      yield postJson(`${asanaApi}/${id}/stories`, { data: { text } }, headers)
      if (completes) yield { ...postJson(`${asanaApi}/${id}`, { data: { completed: true } }, headers), method: 'PUT' }
    }
  },
}

function namedTasks({ commits = [], user_name, ref, project }: Payload): Array<{ id: string; text: string; completes: boolean }> {
  return commits
    .flatMap(({ message, url }) => {
      const text = `${user_name} pushed to branch ${refName(ref)} of ${project.path_with_namespace} ( ${url} ): ${message}`
      return [...message.matchAll(asanaTask)].map(([, word, linked, numbered]) => ({
        id: linked ?? numbered ?? '',
        text,
        completes: word !== undefined,
      }))
    })
    .slice(0, maxTasks)
}

export const assembla: Kind = {
  slug: 'assembla',
  title: 'Assembla',
  description: 'Send commits to a space of Assembla',
  group: 'tracker',
  fields: [
    { name: 'token', title: 'Token', type: 'text', required: true, secret: true },
    { name: 'subdomain', title: 'Space', type: 'text' },
  ],
  events: ['push_events'],
  *act(payload, settings) {
    const space = encodeURIComponent(textOf(settings, 'subdomain'))
    const key = encodeURIComponent(textOf(settings, 'token'))
    yield postJson(`https://atlas.assembla.com/spaces/${space}/github_tool?secret_key=${key}`, { payload })
  },
}

export const pivotaltracker: Kind = {
  slug: 'pivotaltracker',
  title: 'Pivotal Tracker',
  description: 'Send commits to the stories their messages name',
  help: 'A message names a story by [#123456]; "[fixes #123456]" finishes it.',
  group: 'tracker',
  fields: [{ name: 'token', title: 'API token', type: 'text', required: true, secret: true }, restriction],
  events: ['push_events'],
  *act({ ref, commits = [] }, settings) {
    if (!allowsBranch(textOf(settings, 'restrict_to_branch'), ref)) return
    for (const { id, message, url, author } of commits) {
      yield postJson(
        'https://www.pivotaltracker.com/services/v5/source_commits',
        { source_commit: { commit_id: id, author: author.name, url, message } },
        { 'x-trackertoken': textOf(settings, 'token') },
      )
    }
  },
}
