import { readdirSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { parseConfig, planFor } from './src/ci/planning/planning.ts'
import { ciFiles } from './src/features/instance/templates/ci-files.ts'
const ctx = { source:'push', ref:'main', ref_kind:'branch', project_path:'a/b', predefined:[{key:'CI_COMMIT_BRANCH',value:'main',raw:false,file:false}], variablesFor:()=>[], changedPaths: async()=>null, files: async()=>null } as never
const load = async(e:any)=>({files:[{location:e.file??e.url??'x',text:'x: {script: a}',origin:null}]})
async function show(name:string,text:string,quiet=false){ const p=await parseConfig(text,load as never,ctx); if('errors' in p) console.log('ERR',name,p.errors.slice(0,4)); else { const plan=await planFor(p.config,ctx); if (plan.outcome!=='planned'||!quiet) console.log('ok',name,plan.outcome,plan.outcome==='planned'?plan.plan.jobs.length:plan, p.warnings.slice(0,2)) } }
const G='/work/.mirror/ryanfreckleton+gitlab-ce/repo'
const names=execFileSync('git',['--git-dir',G,'ls-tree','-r','--name-only','v11.3.14'],{encoding:'utf8',maxBuffer:1e8}).split('\n').filter(n=>/gitlab-ci\.yml$/.test(n))
for (const n of names) await show(n, execFileSync('git',['--git-dir',G,'show','v11.3.14:'+n],{encoding:'utf8'}), true)
for (const [n,t] of Object.entries(ciFiles)) await show('house '+n, t as string, true)
for (const f of process.argv.slice(2)) await show(f, readFileSync(f,'utf8'))
