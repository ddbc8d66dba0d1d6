/** Titles that mark a merge request as a draft: `WIP:` in old versions of this API, `Draft:` in later ones. */

const mark = /^(?:\s*(?:\[(?:wip|draft)\]|\((?:draft)\)|(?:wip|draft):))+\s*/i

export function isDraft(title: string): boolean {
  return mark.test(title)
}

/** The title without the marker. */
export function readyTitle(title: string): string {
  return title.replace(mark, '')
}

export function draftTitle(title: string, word: 'WIP' | 'Draft' = 'Draft'): string {
  return isDraft(title) ? title : `${word}: ${title}`
}
