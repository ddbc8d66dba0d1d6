/** Packagist: requests an update of the package after each push and tag. */
import type { Kind } from './kind.ts'
import { postJson, textOf, urlAt } from './requests.ts'

export const packagist: Kind = {
  slug: 'packagist',
  title: 'Packagist',
  description: 'Update the package of this project on Packagist, the repository of Composer',
  group: 'other',
  fields: [
    { name: 'username', title: 'Username', type: 'text', required: true },
    { name: 'token', title: 'API token', type: 'text', required: true, secret: true },
    { name: 'server', title: 'Server', type: 'text', isUrl: true, placeholder: 'https://packagist.org' },
  ],
  events: ['push_events', 'merge_requests_events', 'tag_push_events'],
  *act(payload, settings) {
    const query = { username: textOf(settings, 'username'), apiToken: textOf(settings, 'token') }
    yield postJson(urlAt(textOf(settings, 'server') || 'https://packagist.org', 'api/update-package', query), payload)
  },
}
