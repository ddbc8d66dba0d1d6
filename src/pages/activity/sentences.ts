/** Sentences for events of the activity. Each continues the name of the person. */

import { wikiPageAddress } from '../../addresses/documents.ts'
import { mergeRequestAddress } from '../../addresses/merge-requests.ts'
import { issueAddress } from '../../addresses/planning.ts'
import { commitAddress } from '../../addresses/repository.ts'
import type { ListedEvent } from '../../features/discussion/activity/activity.ts'
import { type Html, html } from '../../html/html.ts'
import { count } from '../../html/phrases.ts'
import { t, translated } from '../../html/sentences.ts'

type Link = (text: string, address: string | null) => Html

/** `pushed 3 commits to branch main`: the action, with the ref or commit written by `link`. */
export function deedOf(event: ListedEvent, link: Link): Html {
  const { action } = event
  if (action === 'joined') return html`joined the project`
  if (action === 'left') return html`left the project`
  if (action === 'expired') return html`is no longer a member: the membership expired`
  if (action === 'commented') return html`commented on ${commentedOn(event, link)}`
  if (event.wiki_page) return wikiDeeds[action as keyof typeof wikiDeeds](wikiPageOf(event, event.wiki_page, link))
  if (event.target_type !== null) return deeds[action as keyof typeof deeds](targetOf(event, link))
  if (action === 'created') return html`created the project`
  return pushOf(event, link)
}

const deeds = {
  created: (target: Html) => html`opened ${target}`,
  closed: (target: Html) => html`closed ${target}`,
  reopened: (target: Html) => html`reopened ${target}`,
  destroyed: (target: Html) => html`deleted ${target}`,
  merged: (target: Html) => html`merged ${target}`,
  approved: (target: Html) => html`approved ${target}`,
}

const wikiDeeds = {
  created: (page: Html) => html`created wiki page ${page}`,
  updated: (page: Html) => html`updated wiki page ${page}`,
  destroyed: (page: Html) => html`deleted wiki page ${page}`,
}

function targetOf({ target_type, issue, merge_request, milestone, project_path }: ListedEvent, link: Link): Html {
  if (target_type === 'Issue') return issueOf(issue, project_path, link)
  if (target_type === 'MergeRequest') return mergeRequestOf(merge_request, project_path, link)
  if (milestone === null) return html`a milestone`
  return html`milestone ${link(milestone.title, `/${project_path}/milestones/${milestone.iid}`)}`
}

function issueOf(issue: ListedEvent['issue'], project_path: string, link: Link): Html {
  return issue === null
    ? html`an issue`
    : html`issue ${link(`#${issue.iid} ${issue.title}`, issueAddress({ full_path: project_path }, issue.iid))}`
}

function mergeRequestOf(found: ListedEvent['merge_request'], project_path: string, link: Link, anchor = ''): Html {
  if (found === null) return html`a merge request`
  const address = mergeRequestAddress({ full_path: project_path }, found.iid)
  return html`merge request ${link(`!${found.iid} ${found.title}`, address + anchor)}`
}

/** A deleted one has no page. */
function wikiPageOf({ action, project_path }: ListedEvent, { slug, title }: NonNullable<ListedEvent['wiki_page']>, link: Link): Html {
  const place = { kind: 'project', row: { full_path: project_path } } as const
  return link(title, action === 'destroyed' ? null : wikiPageAddress(place, slug))
}

function commentedOn({ issue, merge_request, snippet, note, project_path }: ListedEvent, link: Link): Html {
  if (note && issue)
    return html`issue ${link(`#${issue.iid} ${issue.title}`, `${issueAddress({ full_path: project_path }, issue.iid)}#note_${note.id}`)}`
  if (note && merge_request) return mergeRequestOf(merge_request, project_path, link, `#note_${note.id}`)
  if (note && snippet)
    return html`snippet ${link(`$${snippet.id} ${snippet.title}`, `/${project_path}/snippets/${snippet.id}#note_${note.id}`)}`
  const oid = note?.commit_oid ?? null
  if (note === null || oid === null) return html`a commit`
  return html`commit ${link(oid.slice(0, 8), `${commitAddress({ full_path: project_path }, oid)}#note_${note.id}`)}`
}

function pushOf(event: ListedEvent, link: Link): Html {
  const { ref, before_oid, after_oid, commit_count } = event
  const [, kind = '', name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref ?? '') ?? []
  const page = kind === 'tags' ? 'tree' : 'commits'
  const address = `/${event.project_path}/${page}/${name.split('/').map(encodeURIComponent).join('/')}`
  const place = link(name, after_oid === null ? null : address)
  const isTag = kind === 'tags'
  if (after_oid === null) return isTag ? html`deleted tag ${place}` : html`deleted branch ${place}`
  if (before_oid === null) return isTag ? html`created tag ${place}` : html`created branch ${place}`
  const commits = commit_count === null ? '' : `${count(commit_count, 'commit')} `
  return isTag ? html`pushed ${commits}to tag ${place}` : html`pushed ${commits}to branch ${place}`
}

export const noEvents = () => t`Nothing has happened here yet that you can see.`
export const noSuchEvents = () => t`Nothing of this kind has happened here.`

/** The filters of a list of events. */
export const filterLabels = translated({
  all: 'All',
  push: 'Pushes',
  issue: 'Issues',
  merge_request: 'Merge requests',
  comments: 'Comments',
  wiki: 'Wiki',
  team: 'Team',
} as const)
