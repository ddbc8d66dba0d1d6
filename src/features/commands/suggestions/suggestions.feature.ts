/** Endpoints of suggestions, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { suggestions } from './suggestions.endpoints.ts'

export const suggestionsFeature = feature({ endpoints: section('Merge requests', suggestions) })
