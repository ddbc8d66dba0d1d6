/** Templates for .gitignore files. */

export const gitignores: Record<string, string> = {
  C: `# What the compiler makes
*.o
*.obj
*.a
*.lib
*.so
*.so.*
*.dll
*.dylib
*.exe
*.out

# What it needs for that
*.d
*.gch
*.pch

# Symbols apart from their program
*.dSYM/
*.pdb
`,
  'C++': `# What the compiler makes
*.o
*.obj
*.a
*.lib
*.so
*.so.*
*.dll
*.dylib
*.exe
*.out

# Modules and headers read before
*.gch
*.pch
*.pcm
*.ifc

# Folders of builds
/build/
/cmake-build-*/
compile_commands.json
`,
  Elixir: `# Builds, and what is fetched for them
/_build/
/deps/
*.ez
*.beam

# Reports
/cover/
/doc/
erl_crash.dump

# Secrets of one machine
/config/*.secret.exs
`,
  Go: `# Programs and test programs
*.exe
*.test
*.out
/bin/

# How much the tests reach
coverage.*
*.coverprofile

# Dependencies copied here, and workspaces of one's own
/vendor/
go.work
go.work.sum
`,
  Haskell: `# Builds
/dist/
/dist-newstyle/
/.stack-work/

# What the compiler makes
*.hi
*.o
*.dyn_hi
*.dyn_o

# Profiles and coverage
*.prof
*.hp
*.tix
/.hpc/

# Settings of one machine
cabal.project.local
`,
  Java: `# Classes and archives of them
*.class
*.jar
*.war
*.ear

# Folders of builds
/target/
/build/
/out/
.gradle/

# Left behind by a virtual machine that crashed
hs_err_pid*
replay_pid*
`,
  Linux: `# Copies that editors make
*~
.*.swp
.*.swo

# Deleted, but still open somewhere
.fuse_hidden*
.nfs*

# Of the desktop
.directory
.Trash-*
`,
  macOS: `# Of the Finder
.DS_Store
.AppleDouble
.LSOverride
._*

# At the root of a volume
.Spotlight-V100
.Trashes
.fseventsd
.TemporaryItems
`,
  Node: `# Dependencies
node_modules/

# Builds
/dist/
/build/
*.tsbuildinfo

# Logs
*.log
npm-debug.log*

# How much the tests reach
/coverage/

# Secrets and settings of one machine
.env
.env.*
!.env.example
`,
  PHP: `# Dependencies
/vendor/

# Results and caches of tests
.phpunit.cache/
.phpunit.result.cache
/coverage/

# Secrets and settings of one machine
.env
.env.*
!.env.example
`,
  Python: `# Compiled
__pycache__/
*.py[cod]
*.so

# Environments
.venv/
venv/

# Builds
/build/
/dist/
*.egg-info/

# Caches and results of tools
.pytest_cache/
.mypy_cache/
.ruff_cache/
.coverage
htmlcov/
`,
  Ruby: `# Dependencies and builds
/.bundle/
/vendor/bundle/
/pkg/
*.gem

# Logs and what is there for a while
/log/
/tmp/

# How much the tests reach
/coverage/
`,
  Rust: `# Builds
/target/

# Copies that the formatter makes
*.rs.bk

# Symbols apart from their program
*.pdb
`,
  Swift: `# Builds, and packages fetched for them
/.build/
/Packages/
DerivedData/

# Settings of one person
xcuserdata/
*.xcuserstate

# Results
*.ipa
*.dSYM/
*.xcresult/
`,
  TeX: `# Notes from one run for the next
*.aux
*.fdb_latexmk
*.fls
*.out
*.lof
*.lot
*.toc
*.synctex.gz

# Bibliographies and indexes
*.bbl
*.bcf
*.blg
*.idx
*.ilg
*.ind
*.run.xml

# What went wrong
*.log
`,
  Terraform: `# Plugins and modules
.terraform/

# What stands, secrets and all
*.tfstate
*.tfstate.*
crash.log

# Values of one machine
*.tfvars
*.tfvars.json
override.tf
*_override.tf
`,
  Windows: `# Thumbnails
Thumbs.db
ehthumbs.db

# Settings of folders
[Dd]esktop.ini

# Bin and links
$RECYCLE.BIN/
*.lnk
`,
}
