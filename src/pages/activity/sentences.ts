/** What people did, as sentences. Each continues the name of the person. */
import type { ListedEvent } from '../../features/spaces/activity/activity.ts'
import { type Html, html } from '../frame/html.ts'
import { count } from '../frame/phrases.ts'

/** `pushed 3 commits to branch main`: what happened, with the ref or the commit as `link` writes it. */
export function deedOf(event: ListedEvent, link: (text: string, address: string | null) => Html): Html {
  const { action, project_path } = event
  if (action === 'joined') return html`joined the project`
  if (action === 'left') return html`left the project`
  if (action === 'expired') return html`is no longer a member: the membership expired`
  if (action === 'commented') {
    const { commented_oid: oid } = event
    return oid === null ? html`commented on a commit` : html`commented on commit ${link(oid.slice(0, 8), `/${project_path}/commit/${oid}`)}`
  }
  return pushOf(event, link)
}

function pushOf(event: ListedEvent, link: (text: string, address: string | null) => Html): Html {
  const { ref, before_oid, after_oid, commit_count } = event
  const [, kind = '', name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref ?? '') ?? []
  const page = kind === 'tags' ? 'tree' : 'commits'
  const address = `/${event.project_path}/${page}/${name.split('/').map(encodeURIComponent).join('/')}`
  const named = html`${kind === 'tags' ? 'tag' : 'branch'} ${link(name, after_oid === null ? null : address)}`
  if (after_oid === null) return html`deleted ${named}`
  if (before_oid === null) return html`created ${named}`
  return html`pushed ${commit_count === null ? '' : `${count(commit_count, 'commit')} `}to ${named}`
}

export const noEvents = 'Nothing has happened here yet that you can see.'
export const noSuchEvents = 'Nothing of this kind has happened here.'

/** The part of a list that shows events of one kind. */
export const filterLabels = { all: 'All', push: 'Pushes', comments: 'Comments', team: 'Team' } as const
