/** Patterns of secrets: names of files that hold them, and texts that are one. A new kind is a line here. */

/** A file with such a name is a secret, whatever it holds. */
export interface SecretFile {
  name: string
  /** Matched against the whole path. Linear: no repetition within another. */
  path: RegExp
}

/** A text that is a secret. */
export interface SecretText {
  name: string
  /** How it begins, literally: only there the pattern is tried. */
  starts: readonly string[]
  /** Matched at its beginning. Linear: no repetition within another. */
  pattern: RegExp
}

export const secretFiles: readonly SecretFile[] = [
  { name: 'SSH private key', path: /(?:^|\/)(?:ssh_host_\w{1,20}_key|id_(?:rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk))$/ },
  { name: 'AWS credentials', path: /(?:^|\/)\.?aws\/credentials$/ },
  { name: 'private key', path: /\.(?:ppk|p12|pfx|jks|keystore|kdbx?|agekey)$/i },
  { name: 'private key', path: /(?:^|[/_.-])(?:private|privkey|secret)[\w-]{0,40}\.(?:pem|key|der)$/i },
  { name: 'passwords of clients', path: /(?:^|\/)(?:\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials)$/ },
  { name: 'secrets of a program', path: /(?:^|\/)(?:\.dockercfg|\.docker\/config\.json|\.kube\/config|kubeconfig|\.s3cfg|\.vault-token)$/ },
  { name: 'secrets of a Rails application', path: /(?:^|\/)config\/(?:master\.key|secrets\.yml\.key|credentials\/\w{1,40}\.key)$/ },
  { name: 'secrets of Jenkins', path: /(?:^|\/)(?:jenkins\.plugins\.publish_over_ssh\.BapSshPublisherPlugin\.xml|credentials\.xml)$/ },
  { name: 'history of a shell', path: /(?:^|\/)\.(?:bash|zsh|sh|mysql|psql|irb|node_repl|python)_?history$/ },
  { name: 'state of Terraform', path: /\.tfstate(?:\.backup)?$/ },
]

const end = '(?![\\w-])'

export const secretTexts: readonly SecretText[] = [
  // The lines of the key follow, or, in a string of JSON, the two characters \n.
  {
    name: 'private key',
    starts: ['-----BEGIN '],
    pattern: /-----BEGIN (?:[A-Z0-9]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s"'+,]){1,40}(?:[\w-]{1,30}: |[A-Za-z0-9+/=]{24})/,
  },
  { name: 'PuTTY private key', starts: ['PuTTY-User-Key-File-'], pattern: /PuTTY-User-Key-File-[23]: / },
  { name: 'age secret key', starts: ['AGE-SECRET-KEY-1'], pattern: new RegExp(`AGE-SECRET-KEY-1[0-9A-Z]{58}${end}`) },
  { name: 'AWS access key', starts: ['AKIA', 'ASIA'], pattern: new RegExp(`A[KS]IA[A-Z2-7]{16}${end}`) },
  { name: 'GitHub token', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: new RegExp(`gh[pousr]_[A-Za-z0-9]{36,251}${end}`) },
  { name: 'GitHub token', starts: ['github_pat_'], pattern: new RegExp(`github_pat_[A-Za-z0-9_]{82}${end}`) },
  {
    name: 'GitLab token',
    starts: ['glpat-', 'gldt-', 'glrt-', 'glsoat-', 'glptt-', 'glagent-'],
    pattern: /gl(?:pat|dt|rt|soat|ptt|agent)-[\w.-]{20,300}/,
  },
  { name: 'Gitstead token', starts: ['gst'], pattern: new RegExp(`gst[a-z]{0,4}-[0-9a-f]{40}${end}`) },
  { name: 'Slack token', starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xapp-'], pattern: /x(?:ox[abprs]|app)-\d[\w-]{20,250}/ },
  {
    name: 'Slack webhook',
    starts: ['https://hooks.slack.com/services/'],
    pattern: /https:\/\/hooks\.slack\.com\/services\/T\w{8,12}\/B\w{8,12}\/\w{20,30}/,
  },
  { name: 'Stripe key', starts: ['sk_live_', 'rk_live_'], pattern: new RegExp(`[rs]k_live_[A-Za-z0-9]{24,247}${end}`) },
  { name: 'Google API key', starts: ['AIza'], pattern: new RegExp(`AIza[\\w-]{35}${end}`) },
  { name: 'Google OAuth secret', starts: ['GOCSPX-'], pattern: new RegExp(`GOCSPX-[\\w-]{28}${end}`) },
  { name: 'npm token', starts: ['npm_'], pattern: new RegExp(`npm_[A-Za-z0-9]{36}${end}`) },
  { name: 'PyPI token', starts: ['pypi-AgE'], pattern: /pypi-AgE[\w-]{50,300}/ },
  { name: 'RubyGems key', starts: ['rubygems_'], pattern: new RegExp(`rubygems_[0-9a-f]{48}${end}`) },
  { name: 'Docker token', starts: ['dckr_pat_'], pattern: new RegExp(`dckr_pat_[\\w-]{27}${end}`) },
  { name: 'SendGrid key', starts: ['SG.'], pattern: new RegExp(`SG\\.[\\w-]{22}\\.[\\w-]{43}${end}`) },
  { name: 'Anthropic key', starts: ['sk-ant-'], pattern: /sk-ant-[a-z]{3,5}\d\d-[\w-]{80,120}/ },
  { name: 'OpenAI key', starts: ['sk-proj-', 'sk-svcacct-'], pattern: /sk-(?:proj|svcacct)-[\w-]{40,200}/ },
  { name: 'Hugging Face token', starts: ['hf_'], pattern: new RegExp(`hf_[A-Za-z]{34}${end}`) },
  { name: 'DigitalOcean token', starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'], pattern: new RegExp(`do[opr]_v1_[0-9a-f]{64}${end}`) },
  { name: 'Azure storage key', starts: ['AccountKey='], pattern: /AccountKey=[A-Za-z0-9+/]{86}==/ },
  { name: 'Vault token', starts: ['hvs.', 'hvb.'], pattern: /hv[bs]\.[\w-]{90,300}/ },
  {
    name: 'Shopify token',
    starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: new RegExp(`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}${end}`),
  },
  { name: 'Linear key', starts: ['lin_api_'], pattern: new RegExp(`lin_api_[A-Za-z0-9]{40}${end}`) },
  { name: 'Grafana token', starts: ['glsa_', 'glc_'], pattern: /gl(?:sa_[A-Za-z0-9]{32}_[0-9a-f]{8}|c_[A-Za-z0-9+/]{50,400}={0,2})/ },
]
