/** Titles that say a merge request is work in progress: `WIP:` of this API's first versions, `Draft:` of later ones. */

const mark = /^(?:\s*(?:\[(?:wip|draft)\]|\((?:draft)\)|(?:wip|draft):))+\s*/i

export function isDraft(title: string): boolean {
  return mark.test(title)
}

/** The title without the mark. */
export function readyTitle(title: string): string {
  return title.replace(mark, '')
}

export function draftTitle(title: string, word: 'WIP' | 'Draft' = 'Draft'): string {
  return isDraft(title) ? title : `${word}: ${title}`
}
