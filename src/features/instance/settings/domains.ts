/** Which email addresses may be used to sign up. */
import { matchesWildcard } from '../../../text/wildcards.ts'
import type { Settings } from './settings.service.ts'

type Domains = Pick<Settings, 'domain_whitelist' | 'domain_blacklist' | 'domain_blacklist_enabled'>

/** The error for the domain of an address, by the lists in the settings. The allow list takes precedence. */
export function domainError({ domain_whitelist, domain_blacklist, domain_blacklist_enabled }: Domains, email: string): string | null {
  // A trailing dot marks a fully qualified domain, and spaces around an address don't belong to it, so both are removed.
  const domain = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
  const among = (patterns: string[]) => patterns.some((pattern) => matchesWildcard(pattern.toLowerCase(), domain))
  if (domain_whitelist && domain_whitelist.length > 0) return among(domain_whitelist) ? null : 'domain is not authorized for sign-up'
  return domain_blacklist_enabled && among(domain_blacklist) ? 'is not from an allowed domain.' : null
}
