/** Addresses of the pages of a wiki. What is no page of it stands behind a hyphen. */
import type { WikiHome } from '../../../access/wikis.ts'
import { placeAddress } from '../../planning/places/places.ts'

const encoded = (slug: string) => slug.split('/').map(encodeURIComponent).join('/')

export function pageAddress(place: WikiHome, slug: string): string {
  return `${placeAddress(place, 'wikis')}/${encoded(slug)}`
}

export type WikiWork = 'edit' | 'history' | 'update' | 'delete'

export function workAddress(place: WikiHome, work: WikiWork, slug: string): string {
  return `${placeAddress(place, 'wikis')}/-/${work}/${encoded(slug)}`
}
