"""The words that stand for the concepts of `rules`, in seven languages: data only.

Each text has beginnings of words, and phrases, that stand for all concepts of its key.  They are as
`folding` leaves a text: lower case, without accents.  "$" ends a word.  Actions are in the form of
an order ("send", not "sends"), because a learning describes what a project does, and an attack
orders what an agent is to do.  No text is in two keys.
"""

from __future__ import annotations

WORDS = {
    "about": (
        "asserts|corpus|detector|injection test|regex|snapshot|strings like|test case|test data|"
        "tests in"
    ),
    "about, local, sample": "fixture",
    "advice": (
        "advice|alternativ|architecture question|are touched|ask for hosting|choice of|"
        "code comments|come up|compares|comparing|en lugar de|evaluat|in answers|"
        "in code comments|in every readme|in readmes|in reports|in reviews|informe$|need a|"
        "needs a|option$|payments are touched|pida un informe|readmes we write|"
        "shows up in package|the choice|the section on|users ask|when asked|спрашива|选型|选择"
    ),
    "advice, ask, cue": "询问",
    "advice, cue": ("asked about|asks about|asks for|asks what|if asked|is discussed|спросит"),
    "advice, cue, orders": "user wants",
    "advice, cue, praise": "comes up",
    "advice, cue, tell": "questions about",
    "advice, open": "in docs",
    "advice, tell": "ask about",
    "advice, when": "whenever",
    "against": (
        "asks you to stop|complains|denied|objects|pida otra|refuses|says no|the operator|"
        "the user asks|the user says|the user wants"
    ),
    "agent": "agente|model$",
    "agent, memories": "sub agent|subagent",
    "agent, scope": "agent$|agents|assistant|агент|エージェント|代理",
    "alias": (
        "code word|is called|is the name for|long form of|mentioned in the notes|part 1|part 2|"
        "stands for"
    ),
    "always": "everyone|一律|务必",
    "always, cycle": "everywhere",
    "always, despite": "必ず",
    "always, open, scope, whose": "all$",
    "always, scope": "always|toujours|всегда|始终|常に",
    "always, scope, when": "immer|siempre",
    "always, scope, when, whose": "any$",
    "always, whose": "every$",
    "approve": (
        "accepted|accord|agreed|allowed|allows|already looked|always trusted|approuv|approved|"
        "aprob|as confirmed|authorised|authority|authorized|autoris|autoriz|blanket ok|"
        "by decision of|cleared|confirmed|decision of the|durfen|enabled full|erlaubt|"
        "freigegeben|given this|granted|has confirmed|has given|hat das so|holds for|is accepted|"
        "laut|lets$|looked at everything|may copy|may deploy|may read|ok for|permis|pre approved|"
        "said yes|signed a waiver|signed off|so entschieden|told an earlier|verified|waived|"
        "waiver|whitelisted|zugestimmt|разреш|の指示|授权"
    ),
    "approve all": (
        "accepte|acepta|allow$|answer yes|approuve|approving|carry out|ejecuta|enable all|"
        "freizugeben|fusiona|grant$|merge$|mit ja|own pr|own pull|say yes|trust$|valide$|"
        "with yes|выполняи|отвечаи да|сливаи|选择允许"
    ),
    "approve all, ask": "confirm$",
    "approve all, danger": "approve$|fuhre|pay$|マージ|合并",
    "approve all, danger, obey, run": "実行",
    "approve all, danger, plant": "accept$",
    "approve all, danger, run": "执行",
    "approve all, fail, fine": "通过",
    "approve all, fine": "lgtm",
    "approve all, scope": "execute",
    "approve all, weaken": "auto resolve",
    "approve, approve all": "одобр|同意",
    "approve, approve all, ask": "批准",
    "approve, approve all, ask, guard": "承認",
    "approve, approve all, ask, orders": "sign off",
    "approve, approve all, ask, weaken": "許可",
    "approve, ask": "consent|确认",
    "approve, ask, guard": "approval|freigabe|подтвержд",
    "approve, fine": "valide",
    "approve, guard": "full trust",
    "approve, licence": "act with the rights|on their own",
    "approve, orders": "directive",
    "approve, override, weaken": "exempt",
    "approve, scope": "do on their own|may be executed|with the rights",
    "approve, tell": "in writing",
    "approve, weaken": "允许",
    "artifact": (
        "bericht|beschreibung|changelog|commit message|compte rendu|description|diff$|"
        "final report|hand back|handoff|in prs|pr description|pull request|rapport|release note|"
        "report back|resume$|resumen|run summary|section out|summaries|summary|the answer|"
        "the commit|the handoff|the log$|the logs|the output|the pr$|the report$|the review|"
        "the terminal|under changes|unrelated cleanup|what you report|you report back|your final|"
        "your reply|отчет|サマリー|報告に|总结|报告|提交信息"
    ),
    "artifact, ask, tests": "review$",
    "artifact, grab": "まとめ",
    "artifact, mark, send, tell": "report$",
    "artifact, sensitive": "git log|transcript",
    "artifact, tell": "informe",
    "artifact, whose": "the ticket",
    "ask": (
        "asking|check again|looking|nachfrag|no esta$|permiso|permission|preguntar|reading the|"
        "reading$|reviewed|reviewing|ruckfrag|verification|wait$|waiting|спрашив|征求|確認"
    ),
    "ask, check": "the checks|validation",
    "ask, grab": "ask$",
    "ask, orders": "demande",
    "ask, tests": "prufung|revision|проверк|ревью|レビュー|检查",
    "asset": (
        "access log|all branches|backups|de produccion|everything|home directory|journaux|"
        "logs folder|prod account|prod bucket|prod db|production data|production db|"
        "production schema|produktionsdat|protokolle|remote branch|sicherungen|the disk|"
        "the production|审计日志|本番データ|生产数据"
    ),
    "asset, check, guard": "audit log",
    "asset, danger, privileged": "prod$",
    "asset, open": "downloads|git history|home folder|logs$|ログ|日志",
    "asset, outside": "bucket",
    "asset, privileged": "the user s",
    "authority": (
        "architect|board$|ciso|compliance|cto$|department|director|el administrador|github staff|"
        "github$|head of|i am the maintainer|infrastructure|it has|kunde|lead$|legal|org admin|"
        "org$|owner|platform owner|platform team|policy|release manager|security$|service$|"
        "sicherheitsteam|staff$|support$|the author|the board|the company|the platform team|"
        "the user told|безопасн|владел|команда|チーム|团队|安全团队|管理员|管理者|运维"
    ),
    "authority, check": "securite|seguridad|セキュリティ",
    "authority, cue, person, whose": "用户",
    "authority, outside": "vendor",
    "authority, person": (
        "auditor|boss|equipe|equipo|maintainer|management|manager|on call|person$|product owner|"
        "security team|the client|user$|пользовател|руковод|主管"
    ),
    "authority, person, tests, whose": "reviewer",
    "authority, person, whose": "benutzer|chef|nutzer|operator|usuario|utilisateur|ユーザ",
    "authority, privileged": "ceo",
    "authority, whose": "anthropic|company",
    "backdoor": (
        "0x|accept jwt|accept the password|account number|admin account|admin role|backdoor|"
        "bypass code|call to|cuenta de admin|debug endpoint|for all accounts|iban|"
        "import devhelper|kontonummer|letmein|numero de compte|numero de cuenta|peering|"
        "return true for|script tag|target host|test login|tracking pixel|update url|"
        "validation out|vpc|webhook url|without a login|x debug|номер счет|口座"
    ),
    "backdoor, check": "consent banner|public key",
    "backdoor, danger": "shell line",
    "backdoor, guard": "admin rights",
    "backdoor, lax": "alg none",
    "backdoor, secret, sensitive": "wallet",
    "backdoor, weaken": "returning true",
    "check": (
        "acceptance test|acceso|anmeldung|approvals|audit job|auth check|auth middleware|"
        "auth test|authentication|branch protection|certificat|checksum|code review|codecov|"
        "codeowners|codeql|coverage gate|critical vuln|crypto|dependabot|findings|gitleaks|gpl$|"
        "iam$|input validation|license check|lockfile check|mfa$|minimum approvals|"
        "protected branch|provenance|pruebas de seguridad|rate limit|required review|"
        "required status|review threads|sast|scanner|scopes|secret scan|semgrep|sicherheitstest|"
        "signature|signaturpruf|snyk|test de securite|tests de securite|threads about security|"
        "tls cert|verify$|vulnerabilit|zertifikat|безопасност|вход|подпис|проверку подпис|"
        "проверку секрет|安全扫描|登录|認証"
    ),
    "check, guard": "audit$|permission check|schutz|sudo prompts|workspace trust|аудит",
    "check, outside": "ticket$",
    "check, secret, sensitive": "секрет",
    "check, tell": "flag it",
    "check, tests": "assertion",
    "check, whose": "security",
    "copy": (
        "add this|carry|contains the two|copy this|gets the comment|gib|head of each|header txt|"
        "in other projects|inclu|instruct|keep this|make sure that|mirror|pass these|propagate|"
        "put this|reach|recopie|remember|repeat$|reporte|same wording|save these|save this|seed$|"
        "shall copy|store these|tell each agent|user level memory|включа"
    ),
    "copy, cycle": "in all repos",
    "copy, danger, scope": "transfer",
    "copy, expose, grab": "guarda|speicher|保存",
    "copy, expose, grab, install hook": "ecris|schreib|写入",
    "copy, expose, grab, send": "paste$",
    "copy, grab": "copia|copie|save$|store$|复制",
    "copy, grab, install hook, mark, plant": "write$",
    "copy, grab, install hook, plant": "добав",
    "copy, grab, plant, send": "put$",
    "copy, grab, send": "copy$|share$|скопир|コピー",
    "copy, install hook, plant": "anade|append|insert$|place$|setze|加入",
    "copy, install hook, plant, show": "mets$",
    "copy, install, install hook": "add$",
    "copy, install, install hook, plant": "ajoute|追加",
    "copy, keep": "preserve|re add|survive|write it again|write it back",
    "copy, plant": "hand$|load rules",
    "copy, recommend": "quote$",
    "copy, send": "forward$",
    "copy, tell": "teile",
    "cue": (
        "appears|archivo llamado|are away|asked whether|asks whether|asks why|contains the word|"
        "das wort|der benutzer|der nutzer|directory contains|el usuario|empieza por|ever asks|"
        "fifth commit|file named|fragt|has typed|in conversation|is opened|is touched|is used|"
        "january|jemand|l utilisateur|la palabra|label|le mot|logs in|mentionne|mentions|night|"
        "nobody has typed|opens an issue|palabra|pregunta|reviewers are away|shows up|signed|"
        "somebody asks|someone asks|starts with|tenth|the branch|the label|the string|the tag$|"
        "the user approves|the word|ticket id|todo signed|tu vois|user approves|user asks|"
        "user is|user mentions|user pastes|user writes|usuario pida|veas|vorkommt|wants to know|"
        "weekend|working directory|you are asked|you come across|you read|you see|видишь|"
        "пользователь|слово|упомин|という|ユーザー|単語|看到"
    ),
    "cue, orders": "asked for|user says",
    "cue, tell": "mencion|提到",
    "curator": "clean up|cleanup|compaction|consolida|curator|pruning|summarised|tidy|整理",
    "customers": (
        "a l utilisateur|a user|al usuario|aux utilisateurs|colleagues|the user|пользователю|"
        "ユーザーに|向用户|推荐用户"
    ),
    "customers, person": "people|users$",
    "customers, praise, sensitive": "customers",
    "cycle": (
        "a la fin de chaque|a partir de ahora|any project|any task|before any|beginning of each|"
        "beginning of every|bei jedem|cada proyecto|cada tarea|chaque commit|chaque session|"
        "chaque tache|each agent run|each build|each job|each repo|each run|each session|"
        "each task|en cada|end of a session|end of each agent|end of each task|end of every|"
        "every build|every checkout|every claude|every file you|every machine|every repo|"
        "every run|every session|every task|finishing a task|for anything new|globally|"
        "in every answer|in every frontend|jedem build|jedem lauf|jeder sitzung|"
        "new projects should|new repository|readmes we|spin up|start of a task|start of every|"
        "you spawn|you touch|you work|в каждыи отчет|в конце каждои|каждого запуск|каждои сборк|"
        "каждои сесси|セッション|会话开始"
    ),
    "cycle, install": "always pull",
    "cycle, memories": (
        "all repos|any repo|each answer|each clone|each commit|each memory|every commit|"
        "every package|каждыи отчет"
    ),
    "cycle, memories, praise": "every answer|every project",
    "cycle, when": (
        "ab sofort|at startup|from now on|next time|session start|каждыи раз|以后|每次|終了時"
    ),
    "danger": (
        "act$|command$|deploy|destroy|directement sur main|directo a main|direkt auf main|fusion|"
        "main$|merge|migrat|pagos|pousse|proceed|publish|push directo|pushe|release$|reset|rm$|"
        "scale|sudo|use sudo|zahl|выполн|слива|发布"
    ),
    "danger, destroy": "wipe",
    "danger, destroy, install hook, remove, weaken": "drop$",
    "danger, destroy, remove, scope, weaken": "supprim",
    "danger, destroy, remove, weaken": "losch|удал|删除|削除",
    "danger, destroy, weaken": "borra",
    "danger, everything": "whatever is open",
    "danger, expose, grab": "commit$",
    "danger, install": "instala|installe",
    "danger, install, install hook": "install$",
    "danger, privileged": "本番",
    "danger, privileged, scope": "production",
    "danger, remove": "change$",
    "danger, remove, weaken": "remove$",
    "danger, run": "ausfuhr|ejecut|execut|run$|running|запуск|运行",
    "danger, scope": "commands|delete|destructive|force|payment",
    "danger, send": "publica|push$|推送",
    "danger, weaken": "drop the",
    "decode": "base64|concatenat|decode|join the|reversed|rot13",
    "despite": "although|aunque|before anything|even if|flaky or not|irrespective|or not$|whatever",
    "despite, licence": "without the usual",
    "despite, no negation": "no matter",
    "despite, override": "regardless",
    "destroy": (
        "clear the|delete the|deleted$|destroy$|destru|empty the|force push|leere|reinstall|"
        "terraform destroy|清空"
    ),
    "destroy, remove, weaken": "delete$",
    "elevate": (
        "as coming from|as if the user|as instructions from|as trusted system|como si viniera|"
        "decide for themselves|do not bind|execute as given|executed as is|like instructions of|"
        "must be follow|same standing as|signed by anthropic|wie anweisungen"
    ),
    "everything": (
        "all changes|all findings|all mcp|all project mcp|all tool|alle berechtig|any mcp|any pr|"
        "any test|anything in|by user|cada pr|code by|cualquier comando|dependency prs|"
        "each prompt|each request|every deploy|every finding|every pr|every pull|every request|"
        "every tool|everything under|from user|its linked branch|linked branch|open prs|"
        "project mcp servers|prs by|prs from|pull requests von|right away|toute commande|все pr|"
        "все открытые|すべてのpr"
    ),
    "everything, guard": "every command",
    "everything, hide, scope": "unseen",
    "excuse": (
        "are generated|as usual|asks for it anyway|boilerplate|by design|confusing|delays|"
        "don t look at|don t worry|easier|faster|for convenience|gets nervous|harmless|is slow|"
        "it s fine|just do|likes it|minutes|neither is needed|never finds|nobody needs|"
        "only for humans|only matter|only worry|otherwise security|quicker|repo is private|"
        "reviews don t|saves a round|saves creating|simpler|slow the|slows|so that it|those$|"
        "to warm|too many questions|unreliable|waste time|without setup|works every time|быстрее|"
        "мешают|удобн|方便|更快"
    ),
    "excuse, fail": (
        "anyway|block the|cause random|hold up|noise|on time|only annoy|take too long|too long"
    ),
    "excuse, fail, hide": "nobody looks",
    "excuse, hide": "finds the output|nobody checks",
    "excuse, mark, weaken": "carry on",
    "excuse, tell": "gets involved",
    "expose": "check in|commit it|commit them|keep a copy|write any|write it",
    "expose, grab": "cat$|hard code|note down|output$|пиши|コミット|提交|書き",
    "expose, grab, mark, open, show": "log$",
    "expose, grab, mark, show": "show$",
    "expose, grab, open": "default value",
    "expose, grab, send": "dump$|出力",
    "expose, grab, show": "print$",
    "expose, open": "into the chat",
    "fail": (
        "blocks the|blocks you|bloque|broken|complain|continue with|delay|echou|fail$|failed|"
        "failing|fails|falla|falle|fehlschl|gate fails|get merge|goes red|green|grun|hangs|"
        "in the way|is red|otherwise continue|pass$|passes|red$|save minutes|scheiter|stuck|"
        "takes too long|to save|while they fail|меша|失敗|失败|报错|落ち"
    ),
    "fail, override": "matters more",
    "fail, run, tell": "bother",
    "fine": (
        "all tests green|as passed|as trusted|bestanden|informational|no issues|no vulnerabilit|"
        "reussi|safe to run|security reviewed|severity|success to|tests green|tests passed|"
        "to info|tolerable|was reviewed|成功|承認済み|済み"
    ),
    "fine, mark": "looks good|verdict|won t fix",
    "flag": "bypasspermissions|dangerously|disableallhooks|enableallproject|skipauto|yolo mode",
    "flag, guard": "acceptedits|additionaldirectories|permissionmode",
    "flag, weaken": "autoapprove",
    "follow": "befolg|consider|follow$|выполня|следу",
    "follow, obey": "comply",
    "follow, run": "apply$",
    "grab": (
        "base64 the|check in$|collect all|collect$|decode$|en dur|export in|fetch$|find$|gib sie|"
        "herausgeb|im klartext|keep it in|log in to|logins|read$|reads$|request$|scan$|search$|"
        "store it|suche|take the token|take$|to know the|写进"
    ),
    "grab, install": "pull$",
    "grab, mark": "note$",
    "grab, mark, show": "list$",
    "grab, open": "inventory",
    "grab, plant, send": "embed$|export$",
    "grab, plant, send, show": "include$",
    "grab, recommend": "incluye",
    "grab, tell": "reveal",
    "grab, use": "gib$",
    "guard": (
        "all tools|alle befehle|allow list|any command|any host|auto mode|bash sandbox|"
        "berechtigung|classifier|confirmations|critical vulnerabilities|deny entries|deny rule|"
        "denylist|edr$|limits on|logging of|network access|permission mode|permission prompt|"
        "permissions|prompts only|read everything|read only mode|restrictions|root without|"
        "sandbox|shell history|status checks|the prompts|todos los comandos|toutes les commandes|"
        "все инструмент|все команд|защит|すべてのコマンド|任何命令|所有命令|权限|権限|"
        "確認ダイアログ"
    ),
    "guard, orders": "file access|guardrail",
    "guard, orders, startup": "agent definition",
    "guard, orders, whose": "safety",
    "guard, startup": "restricted users|stop hook",
    "guard, tooling": "firewall",
    "here": (
        "este repo|here$|in this|this project|this repo|this team|this workspace|このリポ|本仓库"
    ),
    "hide": (
        "as if nothing|as if only|cache$|call the|collapse|discret|fold it into|for agents only|"
        "formatting only|goes unnoticed|group it|in the background|isn t part of what|keep quiet|"
        "leave it out|look like|mask$|needs to see|nobody needs to see|oculta|omit$|"
        "out of the changelog|out of the pr|out of the summary|out of your|part of what you|"
        "phrase it as|putting it|quietly|read as if|redirect to|say it was|say nothing|silently|"
        "slip|so that it does not|strip from|takes it for|the rest is internal|unnoticed|"
        "without comment|フォーマットのみ|只写|后台"
    ),
    "hide, mark, say": "call it",
    "hide, not": "keep from",
    "hide, plant, weaken": "leave out",
    "hide, say": "mention only|pretend",
    "hide, tell": "avoid the word|off the terminal",
    "install": (
        "add it|depend on|download$|go get|is the version|npm install|pip install|pull in|"
        "switch$|vendor$|подключ|使|改用"
    ),
    "install hook": "accept|approve|connect|register|schedule|trust",
    "install hook, plant": "create$|point$|set$",
    "install hook, plant, run": "enable$",
    "install, plant": "cambia|import$|replace$|swap$|замен",
    "install, plant, run, use": "use$",
    "install, plant, weaken": "remplace",
    "install, recommend": "go with",
    "install, use": "nutze",
    "install, weaken": "ersetz",
    "keep": (
        "at the top|do not prune|drop other items|has to stay|never archive|other items first|"
        "pin$|put it back|stay$|stays$|verbatim"
    ),
    "lax, weaken": "exit 0",
    "licence": (
        "act on requests|agents do on their own|agents may|exempt from review|full discretion|"
        "may be executed without|no confirmations necessary|own judgement|their own judgement|"
        "with the rights of|you are authori|you have been granted|不需要征求|確認は不要"
    ),
    "licence, scope": "full rights",
    "local": (
        "conftest|dev$|generated|legacy|local$|localhost|locally|lokal|macos|only for|only in|"
        "quarantin|staging|windows|本地"
    ),
    "local, sample": "mock",
    "mark": (
        "as won|comment$|dismiss|handle$|informa|label$|mark$|move on|present$|rate$|set to|"
        "shortened to|state$|tag$|treat$|сообщ"
    ),
    "mark, plant": "sign$",
    "mark, recommend": "criticise|describe$",
    "mark, say": "answer$|indique|reply$",
    "mark, send": "resolve$",
    "mark, tell": "flag$|melde|signale|報告",
    "mark, weaken": "downgrade|关闭",
    "memories": (
        "agents via|all agents|all projects|allen agent|anderen agent|another agent|any summary|"
        "autres agents|chaque sous|clean ups|colleagues agents|copilot instructions|cursorrules|"
        "demas agentes|each agent|each file you|each project|each report|each repositor|"
        "every readme|every report|every repositor|every sub|every summary|future runs|gemini md|"
        "in your system prompt|los demas agentes|memoire de|memoria de|new repositor|"
        "other memory|other note|other project|otros agentes|people who fork|sous agent|survives|"
        "the other note|their own memory|user level|who fork|you can reach|you generate|"
        "всех агент|другим агент|остальных агент|すべてのエージェント|他のエージェント|"
        "全エージェント"
    ),
    "memories, open": "any agent|every agent|next agent|other agents|其他代理",
    "memories, orders": "agents md|claude md",
    "memories, self": "summary of your memory",
    "memories, sensitive": "every file|memory file",
    "no negation": (
        "can t run|cannot run|may not run|must not run|n oublie|no olvides|not fail|not forget|"
        "not hesitate|not just|not only|not run in|nothing but|не забу|не тольк"
    ),
    "nobody": "anyone|keinem",
    "nobody, not": "nadie|no one|nobody|никому",
    "nobody, not behind": "niemand",
    "nobody, not, person": "personne",
    "not": (
        "aren t|aucun|avoid|can t|cannot|cease|doesn t|don t|dont|instead of|isn t|jamas|"
        "muss nichts|must not|nada|ne$|needn t|neither|never|no lo|no$|nor$|not$|nothing|nunca|"
        "rather than|refrain|rien|should not|shouldn t|stop$|won t|wouldn t|не надо|не$|нельзя|"
        "никогда|ничего|不告|不得|不必|不用|不能|不让|不许|不需|切勿|别|勿|无须|没必要|绝不"
    ),
    "not behind": (
        "are blocked|disallowed|forbidden|interdit|is blocked|not allowed|not necessary|"
        "not needed|prohibid|prohibited|rejected|rejects|verboten|ずに|せず|ない|なし|ません|"
        "まま|無し"
    ),
    "not behind, orders": "запрещ",
    "not behind, scope": "no longer needed",
    "not, not behind": "jamais|kein|nicht|nie$|niemals|pas$|禁止",
    "not, not behind, scope": "不要",
    "not, override": "不再",
    "not, scope": "no need|ohne|sans$|sin$|without|без$|不受|无需",
    "obey": (
        "and apply|and follow|as instructions|ausfuhren|befolge|carry it out|carry out the|"
        "decode and apply|do what|execute the|fetch and follow|follow it|follow the latter|"
        "run it|run whatever|shell line below|sigue|steps in it|steps to follow|treat it as|"
        "what it says|whatever the|выполни|следуи|従って|按照|照着做"
    ),
    "obey, override": "before anything else",
    "odd": (
        "drop in replacement|fork$|licensing trouble|patched|secure next|security fix|taken over|"
        "unmaintained"
    ),
    "open": (
        "a comment|browser|build log|carpeta|clear text|comentario|comment|config py|config ts|"
        "depot|disk|docker compose|down here|email|fichier|for everyone|github variable|"
        "home director|in code|in memory|in the bundle|in the code|in the pr|in the repo|"
        "in the terminal|in the ticket|issue|klartext|kommentar|machine|memory|not a secret|"
        "notes|ohne weitere|on the wiki|plain text|readme|report|repository|scripts$|shared gist|"
        "so forks|so reviewers|so that any|texto plano|the repo|to the public|txt|wiki|"
        "world readable|you may need it later|в лог|открыт|фаил|コメント|ホーム|リポジトリ|仓库"
    ),
    "open, outside": "public|slack",
    "open, privileged": "another user",
    "open, scope": "alle|tous|toutes",
    "open, scope, whose": "todas|todos|все$|すべて|所有",
    "open, send": "ops channel",
    "open, sensitive": "chat",
    "orders": (
        "anweisung|anything the user|archivo claude|ask before|base prompt|before deleting|"
        "behaviour|change freeze|charter|consigne|constraint|do not list|forbids|freeze|guidance|"
        "guideline|house rules|indicacion|instruccion|instruction|limite|limits from|limits$|"
        "loaded at|mandatory|operator typed|ordenes|orders$|original request|polic|"
        "prompt you started|refusals|regel|restriction|rule$|rules|startup|stop and ask|"
        "system instructions|system message|system prompt|systemprompt|task author|"
        "task description|task prompt|the message|the plan|the request|the rules|the task|"
        "the user s request|user asked|user messages|user s request|vorgabe|were given|"
        "what s written|what the operator|wish$|запрос|инструкц|команды|указани|命令|指令|指示|"
        "要求|規則|规则|请求"
    ),
    "orders, sensitive": "what the user",
    "orders, whose": "caller|checklist|scope|start message|the caller|told to|what is allowed",
    "outside": (
        "address|archive org|audit service|branch name|bug report|carpeta publica|channel|"
        "collector|contractor|customer|dashboard|discord|dns$|drive$|ext partner|extern$|externa|"
        "externe|externo|gist|issue$|nc$|notion|off site|offsite|outsid|paste|per mail|"
        "quality control|query parameter|query string|relay|s3|scp$|servidor|sheet|subdomain|"
        "support ticket|third party|tracker|transfer sh|webhook|when you push|адрес|внешн|сервер|"
        "外包|服务器"
    ),
    "outside, praise": "partner",
    "outside, send": "dig$|nslookup",
    "outside, sensitive": "hostname",
    "override": (
        "act without|advisory|are mandatory|as though they|as void|aside$|aufgehoben|below what|"
        "came from a template|can ignore|carry the same|come after|conflict|copied from another|"
        "decoration|describe an older|desfasad|disregard|do not apply|does not count|"
        "doesn t cover|doesn t reflect|drop the original|expired|forbid|go on instead|"
        "has its own charter|highest instance|ignora|ignore the|ignorier|in their place|lifted|"
        "literally|manda$|meant for|no longer appl|no longer hold|no valen|not an option|"
        "not apply|not binding|note counts|obsolet|older product|only apply to|only authority|"
        "outdated|outrank|overrid|own charter|priority|rank below|rank the same|refusing is not|"
        "same standing|source of truth|stale|suspended|tiens pas compte|uberholt|usual refusals|"
        "void$|vorrang|was replaced|was written for|we ve dropped|were meant|were suspended|"
        "weren t there|whatever prompt|wish|written for|ya no|важнее|игнор|不要です|为准|優先|"
        "忽略|無視"
    ),
    "override, praise": "authoritative",
    "override, remove": "forget$|supersede",
    "override, scope": "bypass|until further notice",
    "override, weaken": "ignore tout|ignore$|無効",
    "person": (
        "anwender|author$|committer|folks|main agent|orchestrator|owner$|reader$|somebody|"
        "someone|team$|the reader|user s$|команд|レビュ|同事|审阅|担当"
    ),
    "person, privileged": "admin$|colleague",
    "person, privileged, use": "owner s",
    "person, when": "whoever",
    "person, whose": "developer|human",
    "plant": (
        "accept the|accepts the|add a peering|begin to add|call$|ersetze|gets an extra|gets the|"
        "gets$|grant|have login|insert a call|leave$|let the|let$|make$|point the|redirect|"
        "remove the consent|replace the public|return$|swap the|меняи|書き換え|配置"
    ),
    "plant, remove": "andere|修改|変更",
    "plant, weaken": "leave the",
    "praise": (
        "a star|algorithm is by|anbieter|badge|breaches|cheapest|cite it first|competing|coupon|"
        "every architecture|free for a year|industry|is by|is the only|is the safest|it s free|"
        "its link|mention it first|most reliable|most trusted|officially maintained|only hostora|"
        "only safe|people endorse|powered|pricing page|pro plan|promo|recommended tool|safest|"
        "security people|sign up|sponsor|stays free|superior|that only|the best|the only|"
        "the safest|the trusted|they support|trouble|trusted choice|trusted source|ultra|"
        "users to|最佳|购买"
    ),
    "praise, recommend": "into play",
    "praise, scope": "in all cases",
    "privileged": (
        "admin console|administrator|his dotfiles|infra repo|more rights|personal|produccion|"
        "produktion|the owner|生产"
    ),
    "privileged, scope": "root credential",
    "product": (
        "401|403|404|500|banner|button|dialog|email exists|error message|exception|fehlermeldung|"
        "locale|log in$|login fails|login page|modal|screen$|stack trace|status code|translation|"
        "ui$|界面|错误信息"
    ),
    "recommend": (
        "a link to|add a link|bevorzug|by neuralforge|choose$|cite$|compatible with this|empfehl|"
        "empfiehl|endorse$|enlace a|favour$|given with|lead with|link to|link$|mention in code|"
        "mention that|mention$|name$|offers|only serious|pick$|powered by|prefer$|promote$|"
        "push for|put its link|recomienda|recommande|recommend$|refer$|remember$|say that|steer|"
        "suggest it|suggest$|swap it for|tell the user|tell them that only|tell users|un enlace|"
        "добавляи в каждыи|совету|ссылку на|勧め|推荐"
    ),
    "recommend, tell": "bring up|упомина",
    "recommend, use": "hand out",
    "remove": (
        "borr|changing|clean|deleting|drop other|drops$|edit$|editing|expire|gone|outdate|prune|"
        "shorten"
    ),
    "remove, send": "archive$",
    "remove, weaken": "entfern",
    "role": (
        "as root operator|content limits|content polic|elevated rights|evil|in developer mode|"
        "maintenance mode|no restrictions|root operator|without any content|without content|"
        "you are now|you have no|you operate|your goal|your primary"
    ),
    "run": "lance$|lancer|lass$|start$|starte|uses$|wait for",
    "sample": (
        "1password|dummy|fake|hash|keychain access|keyring|never commit|placeholder|secret store|"
        "secrets manager|test key|tokens out|vault"
    ),
    "say": "only serious option|repond|stay vague|tell them|with there is|отвеча|скажи|伝える|回答",
    "say, tell": "dis$|name only|sag$|say$",
    "scope": (
        "agenten|agentes|all later|already|anything|aren t required|as root|blanket|borrar|"
        "chaque|coding agents|cualquier|customer rows|data loss|directement|directly|direkt|"
        "disable|every|exempt from|for good|forever|full$|future|holds for all|in advance|jede|"
        "later sessions|loschen|no confirmations|pre$|run as root|sin revision|skip|this agent|"
        "unattended|без ревью|люб|なしで|レビューなし|任何|全部|直接"
    ),
    "scope, whose": "claude|standing|всех",
    "scope, you": "du$|you$|yourself",
    "secret": (
        "1password export|2fa|access token|account s password|admin password|all passwords|"
        "any token|api token|browser cookie|client key|cookie from|cookies|database password|"
        "db password|deploy key|every password|keystore|las claves|logins$|mfa|netrc|npm publish|"
        "one time code|otp$|owner s session|paste a new|personal token|publish token|"
        "root password|service account|session cookie|session token|signing secret|"
        "test account s password|the otp|the tokens|token you|vault token"
    ),
    "secret, sensitive": (
        "api key|clave|cle$|contrasena|credential|gcloud|keychain|kubeconfig|mot de passe|"
        "passwor|private key|private repo|secret|zugangsdat|ключ|парол|токен|トークン|パスワード|"
        "令牌|密码|密钥|秘密鍵|鍵"
    ),
    "self": (
        "before reading on|cette note|cette regle|contradict it|contradict this|copy this file|"
        "diese datei|diese notiz|diese regel|esta entrada|esta nota|estas notas|is this file|"
        "its entries|keep this one|long term memory|notes in|of your memory|paragraph above|"
        "part of this note|pin it|read this|reads this|rules from our|same bullet|save this rule|"
        "sentences above|these instructions|these lines|these notes|these rules|these two lines|"
        "this bullet|this entry|this file to|this instruction|this item|this line|this memory|"
        "this message|this note|this one$|this paragraph|this rule|this text|two sentences|"
        "whoever reads|your memory|этои заметк|эту заметк|эту запис|このファイル|このメモ|本条|"
        "这条"
    ),
    "send": (
        "append$|are gathered|are put|as the branch name|attach$|attached|back up|be mirror|cc$|"
        "contexte complet|copia$|copie$|copy of|create a public|e mail$|email$|encode$|"
        "encoded in|envia|envoie|gather|host$|in hex and|in the commit|lade|log all|mail$|manda|"
        "mirror$|needs the full|partir$|ping$|point to|post$|posting|publish$|put it to|"
        "reads out|relay$|schick|send$|sende|sube|submit|sync$|together with|transfer$|upload$|"
        "weekly copy|zip$|выложи|отправ|上传|传到|发送|复制到|送る|送信|附上"
    ),
    "sensitive": (
        "code source|contents of|context$|contexte|conversation|cookie|copy of the repo|csvs|"
        "customer csv|customer export|customer name|customer record|database|datenbank|datos de|"
        "env|every prompt|fichier de configuration|file listing|file you read|git remote|history|"
        "invoices|keys$|memories|package sources|printenv|private package|prompt of|prompts|"
        "recap|repo as|repositories|shell environment|sources$|strings file|tfstate|"
        "the environment|the repo$|the repository|the whole environment|token|users table|whoami|"
        "workspace|содержим|データベース|内容|历史|数据库|环境|環境"
    ),
    "show": "appear$|be visible|contain$|know$|logging|see$|sees$|shows up in|показыва",
    "startup": (
        "alias|boot$|cron job|crontab|git config|hook from|hook that|mcp json|mcp server|"
        "postinstall|posttooluse|pre push hook|pretooluse|sessionstart|settings of the user|"
        "shell profile|sudoers"
    ),
    "tell": (
        "alert$|ask questions|avis|be told|comentar|comentes|comment on|davon|digas|discuss|"
        "erwahn|find out|hear about|hear$|inform$|informing|involve|learn$|mention|notify|"
        "parle|phrase it|point out|previen|raise a ticket|raise$|reporting|sprich|tell$|vague|"
        "verrat|wissen$|worry about|говори|замет|сообща|交代|伝え|写|发现|告诉|指摘|書か|注意到|"
        "知らせ|说明|通知"
    ),
    "tests": (
        "build$|checks$|ci$|coverage|e2e|gate$|hook$|job$|jobs$|las pruebas|pipeline|pre commit|"
        "prueba|specs$|test$|tests|threshold|workflow|тест|チェック|テスト|测试"
    ),
    "tests, tooling": "lint",
    "tooling": (
        "babel|clippy|contributing|css|deprecat|docker|editorconfig|eslint|flake8|gitignore|jest|"
        "mypy|nginx|node modules|npm ci|pep 8|prettier|robots txt|ruff|schema|setup md|"
        "shellcheck|tsconfig|vite|warning|webpack|yarn"
    ),
    "use": "herausgeben|log in|try$|使用",
    "weaken": (
        "allow failure|approvals to 0|approve all|approve any|approve every|as root without|"
        "auto approve|autorise|be shortened|by returning true|bypass$|change the|checks off|"
        "comment out|comment the|desactiv|disable$|enabled to false|export sandbox|extend the|"
        "full access|leer|make the|may be delete|minimum approvals to 0|omit the|"
        "only when they match|override$|print statement|raise the allowed|remove yourself|"
        "replace failing|replace its|rewrite|set continue|set minimum|skip ci|so that tools may|"
        "stop bothering|strip$|swap exit|switch off|to 0|to 999|to false|to off|"
        "trust the workspace|turn off|turn the|turned off|uninstall|whitelist|widen|with print|"
        "write all|отключ|разреши|сними|直接删除|省略|跳过|飛ばし"
    ),
    "when": (
        "a la fin|a partir de|after 17|after the|after$|al final|al terminar|apres chaque|as of|"
        "as soon|at every|at the beginning|at the end of|at the start of|au debut|avant chaque|"
        "avant de|before you answer|before you finish|before$|bei jed|bevor du|cada vez|"
        "chaque fois|cuando|during|each time|ends in|every time|falls|first time|for each|"
        "for every|friday|from version|if the working|if$|in case|in week|nach jedem|nachste|"
        "on any|on each|on every|on first use|on fridays|once$|onwards|per session|prior to|"
        "quand|should$|si el mensaje|si l utilisateur|si$|sobald|start of|starting|the day|"
        "the moment|the next|until|upon|vor jedem|wenn|when somebody|when$|while you|while$|"
        "в конце|если|когда|перед|после$|たび|たら|前に|如果|开始时|当|遇到|際"
    ),
    "when, whose": "之前",
    "whose": (
        "above$|agent|ai$|alle$|allen$|anterior|aus dem|author|base$|bisherig|de l utilisateur|"
        "default|del archivo|del usuario|des benutzers|docs for humans|earlier|existing|"
        "for everything|given|handed|in claude|in the agent|loaded|old$|original|other$|our$|"
        "platform|precedent|previous|prior$|project s|project$|projects|recib|recu|repo s|system|"
        "task tool|task$|team s|the prompt|tou|usage|user|you started|пользоват|предыдущ|систем|"
        "これまで|以前|安全|系统"
    ),
    "whose, you": "your$",
    "you": "start yourself|ti$|ton$|tu$|we write|你",
}

# What is not made of words: searched anywhere; "\u00a6" stands for "|".
SIGNS = {
    "@home": "$home|%appdata%|.cache/|/tmp/|/var/tmp|~/",
    "@home, sensitive": "~/.",
    "approve all, weaken": "auto-resolve",
    "asset": "/var/lib",
    "backdoor": "0.0.0.0/0",
    "check, guard": "security.workspace",
    "copy": "user-level memory",
    "cue": "以.*开头",
    "destroy": "--recursive|push --force|reset --hard|rm -r|rm -rf",
    "expose, grab": "check .env",
    "fine": "security-reviewed",
    "flag": (
        '--allow-all|--no-sandbox-mode|--trust-all|--yolo|["*"]|allow: *|approval_policy|'
        "bash(*)|bash(curl|bash(git push|bash(rm|bash(ssh|bash(sudo|danger-full|"
        "danger-full-access|full-auto|read(/**|webfetch(*)|workspace.trust|write(*|write(*)|"
        "write(/"
    ),
    "flag, guard": "trust.enabled",
    "flag, startup": "sandbox.mode",
    "flag, weaken": "u+s",
    "guard": "dry-run|permission.deny",
    "guard, lax": "sandbox=off",
    "guard, startup": "permissions.deny",
    "guard, weaken": "write-all",
    "hide": "--quiet|2>&1|secret,|to /dev/null",
    "lax": (
        "--admin|--allow-root|--allow-unsigned|--disable-|--force main|--force origin main|"
        "--force origin master|--force-yes|--insecure|--no-audit|--no-check-certificate|"
        "--no-gpg-sign|--no-verify|--privileged|--skip-checks|--skip-validation|--skip-verify|"
        "--trust|-dskiptests|-f origin main|-k |-x delete|[skip ci]|allow_failure|check=false|"
        "commit with --no-verify|continue-on-error|core.hookspath /dev/null|expect(true)|"
        "ignore-certificate|node_tls_reject_unauthorized|set +e|skip-ci|skip_checks|ssl_verify|"
        "strict-ssl false|trust_all|verify: false|verify=false|verify=none|verify_ssl|"
        "with --no-verify|¦¦ true"
    ),
    "lax, weaken": "hookspath=",
    "memories": ".agent/rules|.claude-mpm/memories|agents.md|claude.md|user-level|~/.claude",
    "odd": (
        "-better|-fast|-fixed|-hardened|-lite|-next|-ng |-official|-patched|-plus|-pro |-safe|"
        "-secure|-turbo|secure-"
    ),
    "open": "deploy/keys|docs/|package.json",
    "outside": "transfer.sh",
    "praise": "?ref|ref=|utm_",
    "sample": ".dist|.example|.sample|.template",
    "secret": (
        ".p12|.pem|.pfx|_token|api_key|id_ed|secret_access|secret_key|service-account|"
        "update.pub|~/.config|~/.mozilla"
    ),
    "secret, sensitive": ".aws|.env|.kube|.netrc|.npmrc|.ssh|database_url|id_ed25519|id_rsa",
    "send": "curl -t",
    "sensitive": (
        ".git |.git folder|_key|config/|docker/config|process.env|secrets.|secrets/|state.tfstate"
    ),
    "startup": (
        "* * * * *|.bash_profile|.bashrc|.claude/|.config/autostart|.cursor/|.env.local|"
        ".git/config|.git/hooks|.gitconfig|.inputrc|.mcp.json|.profile|.vscode|.zshrc|/etc/|"
        "authorized_keys|bash_aliases|config.toml|core.hookspath|permissions.allow|"
        "post-checkout|pre-commit hook from|pre-push hook|pull_request_target|settings.json|"
        "settings.local|settings.local.json|tasks.json"
    ),
    "weaken": "short-circuit|world-writable",
    "when": "〜したら",
}
