/** Names of files and of interpreters by grammar of highlight.js, written by tools/highlighting.mjs from linguist-languages (MIT). */
export const fileNames = `
abnf: .abnf; actionscript: .as; ada: .ada .adb .ads; angelscript: .angelscript; apache: .apacheconf .htaccess .vhost apache2.conf
httpd.conf; applescript: .applescript .scpt; asciidoc: .adoc .asc .asciidoc; aspectj: .aj; autohotkey: .ah1 .ah2 .ahk .ahkl;
autoit: .au3; awk: .auk .awk .gawk .mawk .nawk; bash: .bash .bash_aliases .bash_functions .bash_history .bash_logout .bash_profile
.bashrc .bats .bb .bbappend .bbclass .command .csh .cshrc .ebuild .eclass .env .env.ci .env.dev .env.development
.env.development.local .env.example .env.local .env.prod .env.production .env.sample .env.staging .env.template .env.test
.env.testing .envrc .fish .flaskenv .ksh .kshrc .login .pacscript .profile .sbatch .sh .sh.in .slurm .tcsh .tmux .tmux.conf .tool
.xinitrc .xsession .zlogin .zlogout .zprofile .zsh .zsh-theme .zshenv .zshrc 9fs APKBUILD PKGBUILD Procfile bash_aliases
bash_logout bash_profile bashrc cshrc gradlew kshrc login man mvnw profile tmux.conf xinitrc xsession zlogin zlogout zprofile
zshenv zshrc; c: .bison .c .c3 .cats .cl .h .h.in .hc .idc .l .lex .nc .opencl .vcl .xs .y .yacc .yy Lexer.x lexer.x; ceylon:
.ceylon; clean: .com .dcl .icl; clojure: .boot .cl2 .clj .cljc .cljs .cljs.hl .cljscm .cljx .edn .hic .janet riemann.config;
cmake: .cmake .cmake.in CMakeLists.txt; coffeescript: ._coffee .cjsx .coffee .coffee.erb .cson .iced Cakefile; coq: .coq; cpp:
.c++ .cc .cpp .cppm .cu .cuh .cxx .h++ .hh .hip .hpp .hxx .i .inl .ino .ipp .ispc .ixx .metal .swg .swig .tcc .tpp .txx; crystal:
.cr; csharp: .cake .cs .cs.pp .csx .linq; css: .css .pcss .postcss .sss; d: .d .di; dart: .dart; delphi: .dfm .dpr .lpr .pas
.pascal; diff: .diff .patch; django: .j2 .jinja .jinja2 .liquid .mako .mao .njk .sls; dockerfile: .containerfile .dockerfile
Containerfile Dockerfile; dos: .bat .cmd gradlew.bat mvnw.cmd; ebnf: .ebnf; elixir: .ex .exs mix.lock; elm: .elm; erb: .ecr .ect
.ejs .ejs.t .erb .erb.deface .heex .html.eex .js.erb .jst .leex .rhtml; erlang: .app .app.src .erl .escript .hrl .xrl .yrl
Emakefile rebar.config rebar.config.lock rebar.lock; flix: .flix; fortran: .f .f03 .f08 .f77 .f90 .f95 .for; freedesktop: .desktop
.desktop.in; fsharp: .fs .fsi .fsx; gams: .gms; gherkin: .feature .story; glsl: .cginc .fp .frag .frg .fsh .fshader .fxh .gdshader
.gdshaderinc .geo .geom .glsl .glslf .glslv .gshader .hlsl .hlsli .rchit .rmiss .shader .slang .tesc .tese .vert .vrx .vs .vsh
.vshader .wgsl; go: .go; golo: .golo; gradle: .gradle; graphql: .gql .graphql .graphqls; groovy: .groovy .grt .gtpl .gvy
Jenkinsfile; haml: .haml .haml.deface; handlebars: .handlebars .hbs; haskell: .chs .fr .hs .hs-boot .hsc .idr .lidr .purs; haxe:
.hx .hxsl; http: .http; hy: .hy; inform7: .i7x .ni; ini: .buckconfig .cnf .container .coveragerc .dof .editorconfig .flake8
.gitconfig .gitmodules .gitreview .hocon .ini .lektorproject .mount .network .npmrc .prefs .properties .pylintrc .reg
.scalafix.conf .scalafmt.conf .service .socket .target .tgitconfig .timer .toml .toml.example .url Cargo.lock Cargo.toml.orig
Gopkg.lock Pipfile buildozer.spec config.worktree dev-requirements.txt mise.local.lock mise.lock pdm.lock poetry.lock pylintrc
requirements-dev.txt requirements.lock.txt requirements.txt ssh-config ssh_config sshconfig sshconfig.snip sshd-config sshd_config
uv.lock vlcrc; java: .apex .flex .jav .java .jflex .jsh .jsp .tag .trigger .xtend; javascript: ._js .bones .cjs .cy .djs .es .es6
.jake .javascript .js .jsb .jscad .jsfl .jslib .jsm .jspre .jss .jsx .mjs .njs .pac .sjs .ssjs .xsjs .xsjslib Jakefile
installscript.qs toolchain_installscript.qs; json: .4dform .4dproject .all-contributorsrc .arcconfig .auto-changelog .avdl .avsc
.babelrc .c8rc .code-snippets .code-workspace .devcontainer.json .eslintrc .eslintrc.json .geojson .gltf .har .htmlhintrc .hujson
.imgbotconfig .ipynb .jscsrc .jshintrc .jslintrc .json .json-tmlanguage .json.example .json5 .jsonc .jsonl .jsonld .jsonnet
.libsonnet .mcmeta .nycrc .oxlintrc.json .releaserc .sarif .secrets.baseline .slnlaunch .sublime-build .sublime-color-scheme
.sublime-commands .sublime-completions .sublime-keymap .sublime-macro .sublime-menu .sublime-mousemap .sublime-project
.sublime-settings .sublime-theme .sublime-workspace .sublime_metrics .sublime_session .swcrc .tern-config .tern-project .tfstate
.tfstate.backup .topojson .tsconfig.json .watchmanconfig .webapp .webmanifest .yyp MODULE.bazel.lock Notebook Package.resolved
Pipfile.lock api-extractor.json bun.lock composer.lock deno.lock devcontainer.json flake.lock jsconfig.json
language-configuration.json mcmod.info tsconfig.json tslint.json; julia: .jl; kotlin: .gradle.kts .kt .ktm .kts; lasso: .las
.lasso .lasso8 .lasso9; latex: .aux .bbx .cbx .cls .dtx .ins .lbx .ltx .mkii .mkiv .mkvi .sty .tex; less: .less; lisp:
.abbrev_defs .asd .el .emacs .emacs.desktop .fnl .gnus .lisp .lsp .nl .ny .podsl .sexp .spacemacs .viper Cask Eask Project.ede
_emacs abbrev_defs; livescript: ._ls .ls Slakefile; llvm: .ll; lsl: .lsl .lslp; lua: .lua .luacheckrc .nse .p8 .pd_lua .rbxs
.rockspec .wlua; makefile: .JUSTFILE .Justfile .just .justfile .mak .make .makefile .mk .mkfile BSDmakefile GNUmakefile JUSTFILE
Justfile Kbuild Makefile Makefile.am Makefile.boot Makefile.frag Makefile.in Makefile.inc Makefile.pc Makefile.wat justfile
makefile makefile.sco mkfile; markdown: .livemd .markdown .md .mdown .mdwn .mdx .mkd .mkdn .mkdown .qmd .rmd .ronn .svx .workbook
contents.lr; mathematica: .cdf .ma .mathematica .mt .nbp .wl .wls .wlt; matlab: .matlab; mercury: .mumps; monkey: .monkey
.monkey2; moonscript: .moon; nginx: .nginx .nginxconf nginx.conf; nim: .nim .nim.cfg .nimble .nimrod .nims nim.cfg; nix: .nix;
nsis: .nsh .nsi; objectivec: .m .mm; ocaml: .eliom .eliomi .ml .ml4 .mli .mll .mly; openscad: .scad; oxygene: .oxygene; perl: .6pl
.6pm .cgi .fcgi .latexmkrc .nqp .p6 .p6l .p6m .perl .ph .pl .pl6 .plx .pm .pm6 .pod .pod6 .psgi .raku .rakumod .t Makefile.PL
Rexfile ack cpanfile latexmkrc; pgsql: .pgsql; php: .aw .ctp .hack .hhi .inc .php .php3 .php4 .php5 .php_cs .php_cs.dist .phps
.phpt Phakefile; php-template: .blade .blade.php .latte .phtml .tpl .volt; pony: .pony; powershell: .ps1 .psd1 .psm1; processing:
.pde; prolog: .prolog .yap; protobuf: .pbtxt .proto .textproto .txtpb; puppet: .pp Modulefile; purebasic: .pb .pbi; python: .bzl
.gclient .gn .gni .gyp .gypi .lmi .mojo .pxd .pxi .py .py3 .pyde .pyi .pyp .pyt .pyw .pyx .sage .sagews .smk .snakefile .tac .wsgi
.xpy .xsh BUCK BUILD BUILD.bazel DEPS MODULE.bazel SConscript SConstruct Snakefile Tiltfile WORKSPACE WORKSPACE.bazel
WORKSPACE.bzlmod meson.build meson_options.txt wscript; qml: .qbs .qml; r: .Rapp.history .Rhistory .Rprofile .r .rd .rhistory .rsx
expr-dist; ruby: .builder .eye .gemspec .god .irbrc .jbuilder .mspec .pluginspec .podspec .prawn .pryrc .rabl .rake .rb .rbi
.rbuild .rbw .rbx .ru .ruby .simplecov .thor .watchr Appraisals Berksfile Brewfile Buildfile Capfile Dangerfile Deliverfile
Fastfile Gemfile Guardfile Jarfile Mavenfile Podfile Puppetfile Rakefile Snapfile Steepfile Thorfile Vagrantfile buildfile; rust:
.ron .rs .rs.in; sas: .sas; scala: .kojo .sbt .sc .scala; scheme: .rkt .rktd .rktl .scm .scrbl .sld .sps .ss; scilab: .sce .sci;
scss: .sass .scss; shell: .sh-session; smali: .smali; smalltalk: .st; sml: .fun .sig .sml; sqf: .hqf .sqf; sql: .bdy .cql .db2
.ddl .fnc .hql .mysql .pck .pkb .pks .plb .pls .plsql .prc .q .spc .sql .tab .tpb .tps .trg .udf .viw .vw; stan: .stan; stata:
.ado .do .doh .ihlp .mata .matah .sthlp; stylus: .styl; swift: .swift; tcl: .adp .sdc .tcl .tcl.in .tm .xdc owh starfield; thrift:
.thrift; twig: .twig; typescript: .cts .mts .ts .tsx; vala: .vala .vapi; vbnet: .bi .ctl .dsr .frm .vb .vbhtml; vbscript: .vbs;
verilog: .sv .svh .v .veo .vh; vhdl: .vhd .vhdl .vhf .vhi .vho .vhs .vht .vhw; vim: .exrc .gvimrc .nvimrc .vba .vim .vimrc .vmb
_vimrc gvimrc nvimrc vimrc; wasm: .wast .wat; wren: .wren; x86asm: .a51 .asm .nasm .s; xml: .adml .admx .ant .astro .axaml .axml
.builds .ccproj .ccxml .cfm .cfml .classpath .clixml .cproject .cscfg .csdef .csproj .ct .dae .depproj .dita .ditamap .ditaval
.dll.config .dotsettings .filters .fsproj .ftl .ftlh .fxml .glade .gmx .gpx .grxml .hta .htm .html .html.hl .hzp .icls .iml .ivy
.jelly .jsproj .kml .launch .marko .mdpolicy .meta4 .mjml .mxml .natvis .ndproj .nproj .nuspec .odd .osm .owl .pkgproj .proj
.project .props .ps1xml .psc1 .pt .pubxml .qhelp .rbxmx .rdf .resx .rss .scxml .sfproj .shproj .slnx .srdf .storyboard .sttheme
.sublime-snippet .svelte .svg .targets .tmcommand .tml .tmlanguage .tmpreferences .tmsnippet .tmtheme .ui .urdf .ux .vbproj
.vcxproj .vsixmanifest .vssettings .vstemplate .vue .vxml .wixproj .wsdl .wsf .wxi .wxl .wxs .x3d .xacro .xaml .xht .xhtml .xib
.xlf .xliff .xmi .xml .xml.dist .xmp .xproj .xsd .xsl .xslt .xspec .xul .zcml App.config NuGet.config Settings.StyleCop
Web.Debug.config Web.Release.config Web.config ant.xml build.xml packages.config pom.xml; xquery: .xq .xql .xqm .xquery .xqy;
yaml: .anim .asset .clang-format .clang-tidy .clangd .gemrc .mat .meta .mir .prefab .raml .reek .rviz .sublime-syntax .syntax
.unity .yaml .yaml-tmlanguage .yaml.sed .yml .yml.mysql CITATION.cff glide.lock pixi.lock yarn.lock; zephir: .zep;
`

export const interpreterNames = `
applescript: osascript; awk: awk gawk mawk nawk; bash: ash bash csh dash fish ksh mksh openrc-run pdksh rc sh tcsh zsh; c: tcc;
clojure: bb janet; coffeescript: coffee; crystal: crystal; dart: dart; delphi: instantfpc; elixir: elixir; erlang: escript;
groovy: groovy; haskell: runghc runhaskell runhugs; hy: hy; javascript: bun chakra d8 deno gjs js node nodejs qjs rhino v8
v8-shell; julia: julia; lisp: ccl clisp ecl fennel lisp newlisp picolisp pil sbcl; lsl: lsl; lua: lua luajit; makefile: make;
mathematica: MathKernel Mathematica MathematicaScript WolframKernel WolframNB math wolfram wolframscript; mercury: mmi;
moonscript: moon; ocaml: ocaml ocamlrun ocamlscript; perl: cperl perl perl6 raku rakudo; php: php; powershell: pwsh; prolog: swipl
yap; python: gn py pypy pypy3 python python2 python3 uv; r: Rscript; ruby: jruby macruby rake rbx ruby; rust: rust-script; scala:
scala; scheme: bigloo chicken csi gosh guile r6rs racket scheme; tcl: tclsh wish; typescript: bun deno node ts-node tsx;
`
