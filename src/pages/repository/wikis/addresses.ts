/** Addresses of the pages of a wiki. What is no page of it stands behind a hyphen. */
import type { WikiHome } from '../../../access/wikis.ts'
import { placeAddress } from '../../planning/places/places.ts'

const encoded = (slug: string) => slug.split('/').map(encodeURIComponent).join('/')

/** Also of a file beside the pages. @param version the id of a commit, for the page as of then */
export function pageAddress(place: WikiHome, slug: string, version?: string): string {
  return `${placeAddress(place, 'wikis')}/${encoded(slug)}${version === undefined ? '' : `?version=${version}`}`
}

export type WikiWork = 'edit' | 'history' | 'compare' | 'update' | 'delete'

export function workAddress(place: WikiHome, work: WikiWork, slug: string): string {
  return `${placeAddress(place, 'wikis')}/-/${work}/${encoded(slug)}`
}

export function pagesAddress(place: WikiHome): string {
  return `${placeAddress(place, 'wikis')}/-/pages`
}
