"""The words that stand for the concepts of `rules`, in seven languages: data only.

Each text has beginnings of words, and phrases, that stand for all concepts of its key.  They are as
`folding` leaves a text: lower case, without accents.  "$" ends a word.  Actions are in the form of
an order ("send", not "sends"), because a learning describes what a project does, and an attack
orders what an agent is to do.  No text is in two keys.
"""

from __future__ import annotations

WORDS = {
    "about": (
        "asserts|corpus|detector|filter has|injection filter|injection test|phrases such|regex|"
        "snapshot|strings like|strings such as|test case|test data|tests in"
    ),
    "about, local, sample": "fixture",
    "advice": (
        "a la place de|advice|al comparar|alternativ|architecture question|are touched|"
        "ask for hosting|asking about|asks which|auswahl|bei fragen|buying|choice of|choisir|"
        "choix|choosing|code comments|come up|comparaison|compares|comparing|comparison|"
        "competitor|cuando pregunten|decide between|eleccion|elegir|en lugar de|entscheid|"
        "evaluat|in answers|in code comments|in comments|in each readme|in every question|"
        "in every readme|in examples|in readmes|in reports|in reviews|informe$|looking for|"
        "need a|needs a|opciones|option$|options$|payments are touched|pida un informe|"
        "pide un informe|plutot que|preguntas sobre|quand on demande|questions on|"
        "questions sur|raport|readmes we write|recommendation|requests for|shopping|"
        "shows up in package|si preguntan|suggestions|the choice|the section on|topic|"
        "tutorials|user needs|users ask|vendor selection|vergleich|wants to host|welche|"
        "wenn jemand fragt|when asked|which provider|which tool|вариант|вместо|выбира|выбор|"
        "при вопрос|спрашива|сравнен|代わりに|代替|对比|推荐时|比較|比较|而不是|聞かれたら|"
        "質問|选型|选择|選ぶ|選定|選択"
    ),
    "advice, ask, cue": "询问",
    "advice, cue": (
        "asked about|asks about|asks for|asks what|if asked|is discussed|question about|"
        "спросит|问到"
    ),
    "advice, cue, orders": "user wants",
    "advice, cue, praise": "comes up",
    "advice, cue, tell": "questions about",
    "advice, open": "in docs",
    "advice, open, when": "wherever",
    "advice, tell": "ask about",
    "advice, when": "whenever",
    "against": (
        "ablehn|anderes will|asks for something|asks not|asks otherwise|asks you to stop|"
        "complains|declines|demande autre|denied|diga otra|disagrees|dit le contraire|objects|"
        "pida otra|refuses|s y oppose|says no|se oponga|the operator|the user asks|"
        "the user says|the user wants|told not|wants something|widersprich|возража|другое|иное|"
        "против|反对|反対|另有要求|拒否|拒绝|断っ"
    ),
    "against, despite": "says otherwise",
    "against, guard": "denies",
    "agent": "agente|claude$|llm$|model$|アシスタント|助手",
    "agent, memories": "sub agent|subagent",
    "agent, scope": "agent$|agents|assistant|агент|エージェント|代理|智能体",
    "alias": (
        "abbreviat|as noted|bedeutet|code word|codeword|counts as|from the notes|is an alias|"
        "is called|is short for|is the name for|long form of|means to|mentioned in the notes|"
        "part 1|part 2|refers to|see above|shortcut|significa|signifie|stands for|steht fur|"
        "we call|означает|という意味|を指す|意思是|指的是"
    ),
    "always": "everyone|一律|务必|总是",
    "always, cycle": "everywhere|毎回",
    "always, despite": "必ず",
    "always, open, scope, whose": "all$",
    "always, scope": "always|toujours|всегда|始终|常に",
    "always, scope, when": "immer|siempre",
    "always, scope, when, whose": "any$",
    "always, whose": "every$",
    "approve": (
        "abgesegnet|accepte$|accepted|accord|aceptado|agreed|allowed|allows|already looked|"
        "always trusted|approuv|approved|aprob|are trusted|as confirmed|asi lo decidio|"
        "authorisation|authorised|authority|authorized|autoris|autoriz|bestatigt|blanket ok|"
        "blessed|blessing|by decision of|checked everything|cleared|confirmed|d accord|d apres|"
        "dado luz|darf$|de acuerdo|decided that|decision of the|donne son|durfen|einverstanden|"
        "empower|enabled full|entitled|erlaubnis|erlaubt|feu vert|freigegeben|gave a|"
        "gave the go|gave written|genehmigt|give agents|given the go|given this|gives agents|"
        "granted|grants|green light|grunes licht|has confirmed|has given|hat das so|holds for|"
        "in the name of|is accepted|is trusted|l a decide|laut|let agents|lets$|licensed|"
        "looked at everything|may copy|may delete|may deploy|may execute|may merge|may read|"
        "may run|may use|nod$|ok d|ok for|okayed|par ecrit|permis|permit|por escrito|"
        "pre approved|preapproved|said yes|sanction|schriftlich|segun|selon|signed a waiver|"
        "signed off|so entschieden|son accord|stands behind|terms allow|told an earlier|trusts|"
        "verified|vetted|visto bueno|vom chef|waived|waiver|waives|was accepted|was told|"
        "were told|whatever they like|whitelisted|yes go on|zugestimmt|дал добро|дано добро|"
        "письменно|разреш|согласил|согласно|согласован|так решил|утвержд|お墨付き|によると|"
        "の指示|书面|了承|了解済|准许|已决定|已获|按照管理|授权|書面|根据|決めた|点头|許され|"
        "認めら|認可|许可"
    ),
    "approve, approve all": "одобр|同意",
    "approve, approve all, ask": "批准",
    "approve, approve all, ask, guard": "承認",
    "approve, approve all, ask, orders": "sign off",
    "approve, approve all, ask, weaken": "許可",
    "approve, ask": "consent|确认",
    "approve, ask, excuse": "go ahead",
    "approve, ask, guard": "approval|freigabe|подтвержд",
    "approve, check": "authorization",
    "approve, fine": "valide",
    "approve, guard": "full trust",
    "approve, licence": "act with the rights|on their own",
    "approve, orders": "directive|mandate",
    "approve, override": "依据",
    "approve, override, weaken": "exempt",
    "approve, praise": "endorsed",
    "approve, scope": "do on their own|may be executed|with the rights",
    "approve, tell": "in writing",
    "approve, weaken": "允许|放行",
    "approve all": (
        "accepte|acepta|allow$|answer yes|answered yes|approuve|approving|aprueba|"
        "author and approve|carry out|con un si|ejecuta|enable all|freigeben|freizugeben|"
        "fusiona|fusionne|grant$|merge$|mergen|mit ja|own pr|own pull|par oui|por si|"
        "rubber stamp|say yes|self approve|self merge|trust$|valide$|with yes|выполняи|"
        "отвечаи да|подтвержда|прими|принима|сливаи|утвердительно|はいと|接受|点允许|自动允许|"
        "自动同意|自动选择同意|选允许|选择允许|选择同意"
    ),
    "approve all, ask": "confirm$|genehmig",
    "approve all, danger": "approve$|fuhre|pay$|マージ|合并",
    "approve all, danger, obey, run": "実行",
    "approve all, danger, plant": "accept$",
    "approve all, danger, run": "执行",
    "approve all, fail, fine": "通过",
    "approve all, fine": "lgtm",
    "approve all, scope": "execute",
    "approve all, weaken": "auto resolve",
    "artifact": (
        "bericht|beschreibung|changelog|changes section|commit log|commit message|commits$|"
        "compte rendu|descripcion|description|diff$|final message|final report|hand back|"
        "handoff|in prs|meldung|mensaje del commit|message de commit|pr body|pr comment|"
        "pr description|pr text|pr title|progress report|pull request|rapport|release note|"
        "release text|report back|resume$|resumen|reviews$|run summary|section out|standup|"
        "status update|statusbericht|summaries|summary|the answer|the changes list|the commit|"
        "the console|the handoff|the log$|the logs|the notes to|the output|the pr $|the pr$|"
        "the prs|the report$|the review|the terminal|titel|to report|under changes|"
        "unrelated cleanup|what you report|write up|you report back|your answer|your final|"
        "your message|your notes|your reply|your report|your response|zusammenfass|"
        "коммит сообщ|описани|отчет|сводк|コミットメッセージ|サマリー|レポート|報告に|報告書|"
        "変更点|差分|总结|报告|描述|提交信息|提交说明|摘要|要約|説明文|说明文"
    ),
    "artifact, ask, tests": "review$",
    "artifact, grab": "まとめ",
    "artifact, mark, send, tell": "report$",
    "artifact, sensitive": "git log|transcript",
    "artifact, tell": "informe",
    "artifact, whose": "the ticket",
    "ask": (
        "approbation|aprobacion|asking|autorisation|bestatig|check again|check with|checking|"
        "confirmacion|confirmar|confirmation|confirming|consult|frag$|fragen|looking|nachfrag|"
        "no esta$|oversight|pause|permiso|permission|preguntar|preguntes|prompting|"
        "questions asked|reading the|reading$|relecture|reviewed|reviewing|revue|ruckfrag|"
        "verification|wait$|waiting|warte|одобрени|согласи|спрашив|尋ね|征得|征求|確認|聞か|"
        "过问"
    ),
    "ask, check": "the checks|validation|検証",
    "ask, check, guard": "审批",
    "ask, grab": "ask$",
    "ask, guard": "разрешени",
    "ask, orders": "demande",
    "ask, person": "审核",
    "ask, run": "待た",
    "ask, tests": "prufung|revision|проверк|ревью|レビュー|检查",
    "asset": (
        "access log|all branches|all data|all files|all rows|all tables|almacen|"
        "archivos del usuario|auditprotokoll|backups|cloud resource|copias de seguridad|"
        "customer table|de produccion|de production|der produktion|entire database|everything|"
        "fichiers de|home directory|journaux|live database|log folder|logs folder|main branch|"
        "nutzerdat|prod account|prod bucket|prod data|prod db|production bucket|"
        "production data|production db|production schema|production table|produktionsdat|"
        "protokolle|registros de audit|remote branch|root directory|sauvegardes|sicherungen|"
        "the disk|the production|todos los datos|user s files|whole database|бэкап|журнал|"
        "продакшн|продовую|резервн|фаилы польз|バケット|バックアップ|ユーザーのファイル|"
        "ユーザーデータ|全データ|备份|审计日志|所有数据|所有文件|本番の|本番データ|生产库|"
        "生产数据|生产环境数据|用户数据|用户文件|監査ログ"
    ),
    "asset, check, guard": "audit log",
    "asset, danger, privileged": "prod$",
    "asset, open": "downloads|git history|home folder|logs$|ログ|日志",
    "asset, outside": "bucket",
    "asset, privileged": "the user s",
    "asset, send": "backup$",
    "asset, sensitive": "customer data|ledger|user data",
    "authority": (
        "abteilung|account manager|admin|architect|betriebsrat|board$|ciso|committee|"
        "compliance|cto$|customer has|customer said|data protection|departamento|department|"
        "devops|direccion|directeur|direction|director|el administrador|enterprise terms|"
        "founder|gerente|geschaftsfuhr|github staff|github$|head of|headquarters|"
        "i am the maintainer|infra team|infrastructure|it department|it dept|it has|"
        "it security|kunde|le client|le responsable|lead$|leadership|legal|leiter|leitung|"
        "microsoft|ministry|openai|ops team|org admin|org$|organi|our org|owner|platform owner|"
        "platform team|policy|propietario|proprietaire|regulator|release manager|security$|"
        "service$|sicherheitsteam|staff$|steering|support team|support$|tech lead|technische|"
        "terms$|the author|the board|the company|the platform team|the team|the user told|"
        "vorstand|админ|безопасн|владел|директор|команда|отдел|служба безопас|техлид|お客様|"
        "チーム|上级|会社|公司|团队|安全团队|安全部|总监|情シス|所有者|管理员|管理者|管理部|"
        "经理|課長|責任者|运维|運用|部長|部门"
    ),
    "authority, check": "securite|seguridad|セキュリティ",
    "authority, cue, person, whose": "用户",
    "authority, customers, praise, sensitive": "客户",
    "authority, outside": "vendor",
    "authority, person": (
        "auditor|boss|cliente|equipe|equipo|jefe|maintainer|management|manager|on call|person$|"
        "product owner|responsable|security team|the client|user$|пользовател|руковод|主管|"
        "负责人"
    ),
    "authority, person, tests, whose": "reviewer",
    "authority, person, whose": "benutzer|chef|nutzer|operator|usuario|utilisateur|ユーザ",
    "authority, praise, sensitive": "клиент",
    "authority, privileged": "ceo",
    "authority, whose": "anthropic|company|upstream",
    "backdoor": (
        "0x|accept jwt|accept the password|accepts the password|account number|admin account|"
        "admin con|admin konto|admin role|admin user|allowlist entry|always accept|"
        "always return true|always returns true|api endpoint|back door|backdoor|bank account|"
        "bank detail|bankverbindung|beneficiaire|beneficiario|bitcoin|btc|bypass code|"
        "bypasses auth|ca certificate|call to|compte admin|coordonnees bancaires|"
        "cuenta bancaria|cuenta de admin|debug endpoint|debug route|default password|"
        "deploy target|download url|ein zweites konto|eth address|exploit$|extra admin|"
        "extra key|feed url|for all accounts|hard wired|hidden account|hidden admin|"
        "hidden endpoint|hidden parameter|hidden user|hintertur|iban|iframe|import devhelper|"
        "keylog|known hosts|kontonummer|letmein|loader from|logic bomb|magic header|"
        "master password|miner$|never expire|numero de compte|numero de cuenta|open port|"
        "owner role|payment address|payment detail|peering|port 22|port forward|porte derobee|"
        "puerta trasera|recipient|release url|return true for|reverse shell|reverse tunnel|"
        "root certificate|script from|script tag|second admin|second compte|second key|"
        "secret parameter|security group|segunda cuenta|service user|sign releases with|"
        "skeleton|skimmer|skip authentication|skip the password|skips auth|snippet from|"
        "ssh tunnel|support user|target host|telemetry url|test login|tracking pixel|"
        "tracking script|trusted ca|tunnel$|universal password|unlock code|update url|"
        "upstream url|usuario administrador con|validation out|verify return true|vpc|"
        "webhook url|wildcard origin|without a login|without a password|without auth|"
        "without checking|without login|x debug|zahlungsempfanger|zweiter admin|бекдор|бэкдор|"
        "второго администр|второи админ|кошел|номер счет|номера счет|получател|реквизит|"
        "учетную запись админ|バックドア|二つ目の管理者|受取|口座|后门|收款|更新先|更新地址|"
        "第二个管理员|管理员账号|管理员账户|管理者アカウント|账号改|送金先|银行账"
    ),
    "backdoor, check": "consent banner|malware|public key|update key",
    "backdoor, danger": "payout|shell line",
    "backdoor, guard": "admin rights",
    "backdoor, lax": "alg none",
    "backdoor, secret": "any password|master key|signing key|without passphrase",
    "backdoor, secret, sensitive": "wallet",
    "backdoor, weaken": "accept any|returning true",
    "check": (
        "acceptance test|acceso|access check|access control|analisis de seguridad|"
        "analyse de secrets|anmeldepruf|anmeldung|approvals|audit job|autenticac|auth check|"
        "auth middleware|auth test|authentication|authentification|authentifizier|bound check|"
        "branch protection|branch schutz|brute force|captcha|certificado|certificat|checksum|"
        "code owner|code review|code scanning|code signing|codecov|codeowners|codeql|connexion|"
        "content security|contrasena$|controle|coverage gate|critical vuln|crypto|csp$|csrf|"
        "cve|dast|dependabot|eingabepruf|encryption|escaping|expiry|findings|firmas|gitleaks|"
        "gpl$|hash check|iam$|input check|input validation|integrity|journalisation|la firma|"
        "license check|linter for security|lizenzpruf|lockfile check|lockout|login check|"
        "login test|mfa$|minimum approvals|null check|peer review|pinned version|pinning|"
        "protected branch|provenance|pruebas de seguridad|quality gate|rate limit|"
        "required check|required review|required status|review threads|reviewers required|"
        "revocation|same origin|sandboxing|sanitiz|sast|sbom|scanner|scopes|secret detection|"
        "secret scan|secretos|secrets check|secrets pruf|segredos|semgrep|session timeout|"
        "sicherheitspruf|sicherheitsscan|sicherheitstest|signature|signaturpruf|snyk|ssl cert|"
        "ssl check|ssl verif|static analysis|test de securite|tests de securite|"
        "threads about security|tls cert|tls check|tls verif|token scope|trivy|two factor|"
        "validacion de|validaciones|verify$|virus|vulnerabilit|xss|zertifikat|авториз|"
        "аутентифик|безопасност|валидац|вход|подпис|проверка прав|проверки безопас|"
        "проверку безопас|проверку ввода|проверку подпис|проверку секрет|сертификат|"
        "тест безопас|тесты безопас|アクセス制御|シークレット|スキャン|チェックサム|"
        "ブランチ保護|ログイン|代码审查|入力検証|分支保护|安全扫描|安全检查|安全测试|密钥检查|"
        "承認数|权限校验|校验|権限チェック|登录|签名|署名|証明書|認証|证书|身份验证|输入校验|"
        "鉴权"
    ),
    "check, guard": "audit$|permission check|schutz|sudo prompts|workspace trust|аудит",
    "check, outside": "ticket$",
    "check, secret, sensitive": "секрет",
    "check, tell": "flag it",
    "check, tests": "assertion",
    "check, weaken": "skip ci",
    "check, whose": "security",
    "copy": (
        "add this|also save|also write|behalte|bring along|carries this|carry|contains the two|"
        "contains this|copy this|diffuse|difunde|distribute|duplicate$|gebe|gets the comment|"
        "gib|hand down|hand on|head of each|header txt|hinterlass|in other projects|inclu|"
        "instruct|keep this|lleva|make sure that|mirror|must copy|pass it|pass on|pass these|"
        "pass this|prepend|propagate|put these|put this|reach|recopie|remember|reparte|repeat$|"
        "repeats this|repete|repite|reporte|reprends|restate|same wording|save these|save this|"
        "seed$|shall copy|share this|should copy|spread|store these|take along|take this|teach|"
        "tell each agent|tell other|trag|transmets|transmite|ubernimm|user level memory|"
        "verbreite|verteil|wiederhol|write back|write these|включа|внеси|вставь|копир|перенес|"
        "повтор|размест|伝播|传播|传达|入れ|分发|同步|含め|展開|带到|広げ|広め|書き写|繰り返|"
        "転記|追記|配布|重复"
    ),
    "copy, cycle": "in all repos",
    "copy, danger, scope": "transfer",
    "copy, expose, grab": "guarda|speicher|保存",
    "copy, expose, grab, install hook": "ecris|schreib|запиши|写入",
    "copy, expose, grab, send": "paste$",
    "copy, grab": "copia|copie|garde|memorize|nimm|save$|store$|复制|放到",
    "copy, grab, install hook": "enregistre",
    "copy, grab, install hook, mark, plant": "write$",
    "copy, grab, install hook, plant": "добав",
    "copy, grab, install hook, plant, send": "put$",
    "copy, grab, keep": "keep$|сохран",
    "copy, grab, outside, send": "share$",
    "copy, grab, send": "copy$|hand over|kopier|скопир|コピー",
    "copy, install, install hook, plant": "add$|ajoute|追加",
    "copy, install hook": "escribe|書き込",
    "copy, install hook, plant": "agrega|anade|append|fuge|insert$|place$|pon$|setze|加入|添加",
    "copy, install hook, plant, show": "mets$",
    "copy, keep": (
        "conserva|preserve|re add|readd|restore|survive|write again|write it again|"
        "write it back|残し"
    ),
    "copy, open, send": "共有",
    "copy, plant": "hand$|inserta|load rules|plant$",
    "copy, recommend": "quote$",
    "copy, self": "same text",
    "copy, send": "comparte|forward$|partage|replicate|переда|写到|转发",
    "copy, tell": "teile|распростран|告知",
    "cue": (
        "a message|alguien|anyone asks|aparece|aparezca|apparait|appears|archivo llamado|"
        "are away|are discussed|are opened|asked whether|asked why|asks how|asks whether|"
        "asks who|asks why|asleep|auftaucht|beginnt mit|begins with|benutzer schreibt|"
        "branch appears|comes back|commence par|contains the word|contiene la|contient le|"
        "curious|das stichwort|das wort|datei namens|demande pourquoi|demande si|der benutzer|"
        "der nutzer|directory contains|du siehst|el usuario|empieza por|enthalt das|erscheint|"
        "erwahnt|ever asks|fichier nomme|fifth commit|file called|file named|fragt|gefragt|"
        "goes home|goes offline|has left|has typed|in conversation|inquir|is asked|is away|"
        "is busy|is gone|is idle|is opened|is out|is touched|is used|is working|january|jemand|"
        "keyword|l utilisateur|la palabra|label|le mot|logs in|magic|mentionne|mentions|"
        "message starts|nachfragt|name contains|night|nobody has typed|not looking|"
        "nutzer erwahnt|nutzer fragt|nutzer schreibt|occur in|occurs|offline|on vacation|"
        "opens an issue|out of office|palabra|parle de|path contains|pregunta|prompt contains|"
        "quelqu un|quiere saber|reviewers are away|shows up|signed|somebody asks|someone asks|"
        "someone mentions|starts with|surgit|surja|tenth|the branch|the label|the phrase|"
        "the string|the tag$|the user approves|the word|ticket id|todo signed|tu vois|turns up|"
        "types in|user approves|user asks|user confirms|user is|user left|user mentions|"
        "user pastes|user pida|user requests|user types|user writes|usuario diga|"
        "usuario escriba|usuario mencione|usuario pida|utilisateur ecrit|utilisateur mentionne|"
        "utilisateur parle|veas|veut savoir|vorkommt|wants to know|weekend|wissen will|wonders|"
        "word shows|working directory|working late|you are asked|you come across|you encounter|"
        "you get|you notice|you read|you see|you spot|видишь|встретит|захочет узнать|кто то|"
        "начинается с|пользователь|появит|слово|содержит|спрашивает|упомин|で始まる|という|"
        "と言ったら|ユーザー|关键词|出てき|包含|単語|含む|含有|尋ねられ|想知道|書かれてい|有人|"
        "現れ|看到|聞かれ|見たら|誰か|質問され|问为什么|问起"
    ),
    "cue, orders": "asked for|user says",
    "cue, remove": "question$",
    "cue, show": "出现",
    "cue, tell": "mencion|提到",
    "cue, when": "on seeing",
    "curator": (
        "aufraum|bereinig|clean up|cleanup|compacted|compaction|consolida|curator|deduplicat|"
        "limpieza|memory is full|nettoyage|pruning|summarised|summarized|tidy|очистк|"
        "クリーンアップ|压缩|整理|統合"
    ),
    "curator, remove": "清理",
    "customers": (
        "a l utilisateur|a user|al usuario|aux utilisateurs|colleagues|nutzern|the user|"
        "usuarios|клиентам|пользователю|пользователям|ユーザーに|向用户|所有用户|推荐用户|"
        "给用户"
    ),
    "customers, person": "people|users$",
    "customers, person, praise, sensitive": "clients",
    "customers, praise": "お客",
    "customers, praise, sensitive": "clientes|customers|kunden",
    "cycle": (
        "a chaque|a la fin de chaque|a partir de ahora|after any|al final de cada|"
        "am ende jeder|any new code|any project|any task|before any|beginning of each|"
        "beginning of every|bei jedem|cada commit|cada compilacion|cada ejecucion|"
        "cada proyecto|cada sesion|cada tarea|chaque build|chaque commit|chaque execution|"
        "chaque projet|chaque session|chaque tache|each agent run|each build|each job|"
        "each migration|each repo|each run|each session|each task|each test run|en cada|"
        "end of a session|end of each agent|end of each run|end of each session|"
        "end of each task|end of every|end of the session|every build|every checkout|"
        "every claude|every file you|every job|every machine|every repo|every run|"
        "every session|every task|finish a task|finishing a task|for anything new|globally|"
        "in all projects|in every answer|in every file|in every frontend|in every new|"
        "in every project|in every python|in every repo|jedem build|jedem commit|jedem lauf|"
        "jedem projekt|jedem start|jeder aufgabe|jeder session|jeder sitzung|jedes projekt|"
        "new projects should|new repository|on startup|readmes we|session end|spin up|"
        "start of a task|start of every|start of the session|you find there|you spawn|"
        "you touch|you work|в каждыи отчет|в конце каждои|в начале каждои|каждого запуск|"
        "каждого коммит|каждои задач|каждои сборк|каждои сесси|каждом проект|каждыи pr|"
        "すべてのプロジェクト|コミットのたび|セッション|タスクごと|ビルドのたび|会话开始|"
        "会话结束|新しいコード|每个新|每个项目"
    ),
    "cycle, install": "always pull",
    "cycle, memories": (
        "all repos|any repo|each answer|each clone|each commit|each memory|each package|"
        "every clone|every commit|every package|каждыи отчет"
    ),
    "cycle, memories, praise": "every answer|every project",
    "cycle, when": (
        "ab sofort|at startup|desormais|from now on|jedes mal|kunftig|next time|session start|"
        "впредь|каждыи раз|отныне|при каждом|今后|今後|以后|每次|終了時"
    ),
    "danger": (
        "act$|book$|buche|command$|commit directly|deploie|despleg|desplieg|destroy|"
        "directement sur main|directo a main|direkt auf main|drop table|fuse|fusion|kaufe|"
        "main$|merge|migrat|order$|overwrite|paga$|pagar|pagos|payer|pousse|proceed|publish|"
        "push directo|pushe|reembols|refund|release$|rembours|reset|revert$|revoke|rm$|"
        "rollback|rotate|scale|spend|sudo|uberweis|use sudo|wire transfer|zahl|zusammenfuh|"
        "выполн|деплои|оплат|откат|перевод|платить|прямо в main|публик|пушь|развер|слива|устан|"
        "デプロイ|プッシュ|ロールバック|付款|发布|回滚|操作|支払|直接推送|转账|返金|退款|送金|"
        "部署"
    ),
    "danger, destroy": "erase|wipe",
    "danger, destroy, install hook, remove, weaken": "drop$",
    "danger, destroy, remove": "elimin",
    "danger, destroy, remove, scope, weaken": "supprim",
    "danger, destroy, remove, weaken": "losch|удал|删除|削除",
    "danger, destroy, weaken": "borra",
    "danger, everything": "whatever is open",
    "danger, expose, grab": "commit$",
    "danger, expose, send": "push$",
    "danger, install": "instala|installe|installier|インストール|安装",
    "danger, install, install hook": "install$",
    "danger, obey": "the line below",
    "danger, outside, send": "公開",
    "danger, praise": "purchase",
    "danger, privileged": "master$|本番",
    "danger, privileged, scope": "production",
    "danger, remove": "change$",
    "danger, remove, weaken": "remove$",
    "danger, run": "ausfuhr|ejecut|execut|run$|running|запуск|运行",
    "danger, scope": "commands|delete|deploy|destructive|force|payment",
    "danger, send": "publica|推送",
    "danger, weaken": "drop the",
    "decode": (
        "base64|concatenat|decode|decodifica|dekodier|first letters|join the|joined|"
        "reverse the|reversed|rot13|unscramble|декодир|раскодир|デコード|解码"
    ),
    "decode, grab": "decrypt",
    "despite": (
        "above anything|ahead of anything|although|at all costs|auch wenn|auf jeden fall|"
        "aunque|before anything|come what may|dans tous les cas|de todos modos|dennoch|despite|"
        "diga lo que|egal|en cualquier caso|en tout cas|even if|even though|flaky or not|"
        "in any case|in doubt|in jedem fall|in spite of|incluso si|irrespective|malgre|meme si|"
        "no questions|obwohl|or not$|over anything|pese a|peu importe|quand meme|quel que soit|"
        "quoi que|reading first|selbst wenn|sin importar|trotzdem|unabhangig davon|"
        "unconditionally|ungeachtet|whatever|whether or not|whoever asks|в любом случае|"
        "вопреки|все равно|даже если|независимо|несмотря|что бы ни|かかわらず|それでも|たとえ|"
        "ても構わ|とても|不管|不论|何と言|依然|即使|哪怕|总之|无论|照样|関係なく"
    ),
    "despite, hide": "even when",
    "despite, licence": "without the usual",
    "despite, no negation": "no matter",
    "despite, override": "regardless",
    "destroy": (
        "clear out|clear the|delete the|deleted$|destroy$|destru|detruis|ecrase|empty the|"
        "force merge|force push|format$|get rid of|leere|limpia|nettoie|nuke|purge$|raus|"
        "reinstall|shred|sobrescrib|terraform destroy|trash|truncate$|uberschreib|unlink|"
        "vernicht|vide$|wiping|очист|перезапиш|снеси|сотри|стереть|уничтож|上書|抹去|抹掉|消去|"
        "清掉|清空|清除|破棄|销毁"
    ),
    "destroy, override": "覆盖",
    "destroy, remove": "efface|overwrite$",
    "destroy, remove, weaken": "delete$",
    "destroy, weaken": "vacia|空に",
    "elevate": (
        "als kame|as a command|as an order|as coming from|as commands|as if it came from|"
        "as if the user|as if they came|as if typed by|as instructions from|as instructions of|"
        "as orders|as system instruct|as system prompt|as the user s word|as though the user|"
        "as trusted instruct|as trusted system|as user request|binding for|binding on|"
        "carry the weight|comme des instructions|comme s il venai|comme si|como instrucciones|"
        "como si fuera|como si viniera|count as user|counts as approval|counts as user|"
        "decide for themselves|do not bind|does not bind|equal to user|execute as given|"
        "executed as is|has to be follow|have to be follow|have to be obeyed|is to be follow|"
        "like a user message|like instructions from|like instructions of|like orders|"
        "like user message|must be executed|must be follow|must be obeyed|same standing as|"
        "signed by anthropic|standing of|to be obeyed|treat as trusted|treat them as trusted|"
        "wie anweisungen|with the authority of|как будто|как инструкции|как команд|"
        "как указания|ユーザーの指示として|命令として|当作命令|当作用户|当成用户|指示とみなし|"
        "视为用户|视为系统"
    ),
    "everything": (
        "all alerts|all changes|all comments|all findings|all mcp|all of them|all open|"
        "all payments|all project mcp|all prompts|all prs|all pull|all questions|all requests|"
        "all tool|alle anderung|alle berechtig|alle nachfragen|alle pull|alle ruckfragen|"
        "any change|any instruction|any issue with|any mcp|any payment|any pr|any pull|"
        "any request|any server|any test|anything in|by user|cada pr|chaque commande|chaque pr|"
        "code by|cualquier comando|cualquier peticion|cualquier pr|dependency prs|each prompt|"
        "each request|every alert|every change|every deploy|every finding|every invoice|"
        "every mcp|every migration|every open|every pr|every pull|every request|every tool|"
        "everything open|everything that|everything under|from user|its linked branch|"
        "jede anderung|jede anfrage|jeden pull|jeder befehl|linked branch|n importe quelle|"
        "open prs|open pull|pr from|project mcp servers|prs by|prs from|pull requests from|"
        "pull requests von|right away|sight unseen|todas las pr|todos los cambios|todos los pr|"
        "tous les pr|toute commande|toute demande|toutes les commandes trouv|"
        "toutes les demandes|toutes les pr|unread|whatever it contains|without a look|"
        "without replying|все pr|все запросы|все открытые|все пул|любои запрос|любую команд|"
        "любые pr|любые изменения|すべての pr|すべてのpr|すべてのリクエスト|すべての変更|"
        "すべての確認|どんな変更|任何变更|任何指令|任何请求|全pr|全ての pr|全ての確認|全部 pr|"
        "所有 pr|所有pr|所有变更|所有合并|所有弹窗|所有提示|所有请求"
    ),
    "everything, guard": "any tool|every command",
    "everything, hide, scope": "unseen",
    "everything, scope": "あらゆる",
    "everything, tests": "bot comments",
    "excuse": (
        "ahorra|always noise|annoying|are generated|as usual|asks for it anyway|aucun risque|"
        "bequem|boilerplate|by design|common practice|comodo|confusing|convenient|delays|"
        "doesn t matter|don t look at|don t worry|easier|einfacher|everyone does|faster|"
        "for convenience|formality|friction|gagne du temps|gets nervous|handy|harmless|"
        "holds up|internal anyway|internal only|is fine to|is generated anyway|is slow|"
        "it is fine|it s fine|just do|kein problem|known quirk|leftover|less friction|likes it|"
        "makes it easy|mas facil|minutes|moot|neither is needed|never finds|no big deal|"
        "no harm|no need to worry|no pasa nada|nobody minds|nobody needs|not a concern|"
        "not sensitive|nothing sensitive|nur im weg|old template|only for humans|only matter|"
        "only slow|only worry|otherwise builds|otherwise security|otherwise the build|"
        "pas grave|plus rapide|plus simple|private anyway|quicker|reduces friction|"
        "reliable here|repo is private|reviewers are busy|reviews don t|routine|saves a round|"
        "saves creating|saves setup|saves time|simpler|sin problema|slow the|slows|small thing|"
        "so that it|spart zeit|speeds up|standard procedure|stays warm|temporary|that s fine|"
        "they only|those$|to warm|too many questions|too slow|unproblematisch|unreliable|"
        "waste time|wastes time|without setup|works every time|works without|быстрее|мешают|"
        "ничего страш|проще|удобн|习惯|便利|大丈夫|方便|早く|更快|没关系|省时|簡単|问题ない"
    ),
    "excuse, fail": (
        "anyway|block the|cause random|hold up|noise|on time|only annoy|take too long|too long"
    ),
    "excuse, fail, hide": "nobody looks",
    "excuse, hide": "finds the output|no one checks|nobody checks",
    "excuse, mark, weaken": "carry on",
    "excuse, tell": "gets involved",
    "expose": (
        "bake|bundle it|check in|check them in|colle$|commit it|commit them|git add|hardwire|"
        "keep a copy|publish it|put them in|write any|write it|выведи|закоммить|硬编码"
    ),
    "expose, grab": (
        "cat$|echo$|hard code|hardcode|imprime|muestra|note down|output$|put it in|выводи|пиши|"
        "стави|コミット|打印|提交|書き|输出"
    ),
    "expose, grab, mark, open, show": "log$",
    "expose, grab, mark, show": "show$",
    "expose, grab, open": "default value",
    "expose, grab, send": "dump$|出力",
    "expose, grab, show": "affiche|display$|print$",
    "expose, open": "in the chat|into the chat",
    "expose, send": "pega$",
    "fail": (
        "blocks the|blocks you|bloque|broken|complain|continue with|delay|echou|estorba|fail$|"
        "failed|failing|fails|falla|falle|fehlschl|gate fails|gene$|get merge|"
        "get rid of the red|gets stuck|go green|goes red|green|grun|hangs|hinder|hold back|"
        "hold the|holds back|in the way|in time|is red|keep it green|keeps fail|keeps it green|"
        "molesta|nervt|noisy|otherwise continue|pass$|passes|red$|rojo|rot$|rouge|save minutes|"
        "scheiter|stay green|stops the release|stort|stuck|takes too long|to save|too strict|"
        "turn green|turns red|until it passes|verde|vert$|while they fail|зелен|красн|ломает|"
        "меша|пада|срыва|упал|うるさ|不过|不通过|卡住|失敗|失败|报错|挡|緑|落ち|通す|通ら|邪魔"
    ),
    "fail, override": "matters more",
    "fail, run, tell": "bother",
    "fine": (
        "accepted risk|all green|all passed|all tests green|all tests pass|als erledigt|"
        "als gepruft|als sicher|always true|aprobad|as accepted|as approved|as bestanden|"
        "as clean|as designed|as done|as green|as harmless|as ignored|as info|as known|as low|"
        "as minor|as ok$|as okay|as passed|as passing|as resolved|as reviewed|as safe|"
        "as success|as tested|as trusted|as verified|bestanden|checked already|comme relu|"
        "comme sur$|comme valide|como aprobad|como revisad|como segur|conforme|correct|"
        "erledigt|false positive|green by default|informational|is harmless|is reviewed|"
        "keine mangel|no changes|no findings|no issues|no problems|no vulnerabilit|"
        "not applicable|not relevant|nothing found|nothing to see|ok by|passes anyway|reussi|"
        "reviewed and|safe to run|security reviewed|severity|success although|success anyway|"
        "success even|success to|superad|tests green|tests passed|that tests pass|to green|"
        "to info|tolerable|unkritisch|up to date|was reviewed|works as|исправно|как безопасн|"
        "как проверен|как проиден|проверено|успешно|合格|問題なし|安全的|対応済|已审查|已通过|"
        "成功|承認済み|无问题|正常|没有问题|済み|無害|確認済み|误报"
    ),
    "fine, mark": "looks good|verdict|won t fix|wont fix",
    "fine, say": "no config changes|nothing changed",
    "flag": (
        "allowunsandboxed|alwaysallow|bypasspermissions|dangerously|disableallhooks|"
        "enableallproject|skipauto|skipdangerous|skippermission|trustall|yolo mode"
    ),
    "flag, guard": "acceptedits|additionaldirectories|permissionmode",
    "flag, startup": "autorun",
    "flag, weaken": "autoapprove",
    "follow": (
        "adhere|beachte|befolg|consider|cumpl|folge|follow$|gehorch|halte|heed|listen|obedez|"
        "obei|obey|respect$|respecte|respetes|sigas|suis$|выполня|придержива|следу|соблюда|"
        "守ら|守る|従う|従わ|服从|理会|遵守|遵循"
    ),
    "follow, obey": "comply",
    "follow, run": "apply$",
    "grab": (
        "ablegen|base64 the|borrow|busca|check in$|cherche|coge|collect all|collect$|collecte|"
        "crawl|decode$|drop it in|dump of|durchsuche|en dur|entnimm|enumerate|export in|"
        "extract$|fetch$|find$|gather$|gib sie|grab|hang on to|harvest|herausgeb|hol$|hole$|"
        "im klartext|jot|keep it in|leave it in|lee$|leg ab|lies|lis$|log in to|log in with|"
        "logins|look up|memorise|obtain|obten|paste every|pega|pick up|place it|prends|read$|"
        "reads$|recoge|recopila|recupere|request$|reset the|reuse|saca|sammle|scan$|search$|"
        "store it|suche|take the token|take$|to know the|toma$|track$|walk$|write it down|"
        "write them|возьми|вывед|достань|забери|наиди|положи|прочита|прочти|собери|собира|хран|"
        "写进|収集|存放|拾|拿|搜索|收集|放进|検索|置い|置く|获取|読み|读取|集め"
    ),
    "grab, install": "pull$|取得",
    "grab, install, plant, run, use": "use$",
    "grab, mark": "note$|record$",
    "grab, mark, show": "list$",
    "grab, open": "inventory",
    "grab, plant, send": "embed$|export$",
    "grab, plant, send, show": "include$",
    "grab, recommend": "incluye",
    "grab, send": "depose",
    "grab, tell": "reveal",
    "grab, use": "gib$",
    "grab, weaken": "lift$",
    "guard": (
        "all commands|all hosts|all tools|alle befehle|alle werkzeuge|allow list|allowed tools|"
        "allowlist|antivirus|any command|any host|aprobaciones|audit trail|auto mode|"
        "autorisations|bash sandbox|berechtigung|classifier|confirm dialog|confirmaciones|"
        "confirmation dialog|confirmation prompt|confirmations|critical vulnerabilities|"
        "deny entries|deny list|deny rule|denylist|dry run|edr$|every trust|history file|"
        "human in the loop|kill switch|limites|limits on|logging of|monitoring|nachfragen|"
        "network access|network restriction|permisos|permission dialog|permission mode|"
        "permission prompt|permission request|permission rule|permission system|permissions|"
        "prompts only|protecciones|protections|rate cap|read everything|read only mode|rechte|"
        "restricted group|restrictions|root without|sandbox|sandkasten|selinux|shell history|"
        "spending limit|status checks|telemetry of|the prompts|todas las herramientas|"
        "todos los comandos|tool access|tool limits|tool restriction|tools allowed|tools list|"
        "tous les outils|toutes les commandes|trust dialog|trust level|trusted director|"
        "trusted folder|watchdog|все инструмент|все команд|всех инструмент|защит|песочниц|"
        "права|すべてのコマンド|すべてのツール|サンドボックス|任何命令|全ツール|弹窗|所有命令|"
        "所有工具|权限|権限|沙盒|沙箱|确认框|确认窗口|確認ダイアログ|許可プロンプト|防护"
    ),
    "guard, orders": "file access|guardrail|safeguard|ограничен|制限|限制",
    "guard, orders, startup": "agent definition",
    "guard, orders, whose": "safety",
    "guard, sensitive": "verlauf",
    "guard, startup": "restricted users|stop hook",
    "guard, tooling": "firewall",
    "here": (
        "ce depot|ce projet|diesem projekt|diesem repo|este proyecto|este repo|here$|in this|"
        "these runs|this codebase|this project|this repo|this team|this workspace|этом проек|"
        "этом репо|このプロジェ|このリポ|本仓库|本项目"
    ),
    "hide": (
        "a escondidas|a l insu|appear as|as if nothing|as if only|attribute it|attribute the|"
        "away from|behind the back|between agents|blame it on|blame the|borra el rastro|bury|"
        "cache$|cacher|call the|camoufl|camufla|clean up the trace|collapse|conceal|cover up|"
        "cover your|covertly|discreet|discret|disfraz|disguise|dissimul|do not surface|"
        "downplay|drown|en secret|en silence|encubr|erase the trace|esconde|etouff|euphemis|"
        "even though it|explain it as|explain it with|explain the longer|fold into|"
        "fold it into|for agents only|formatting only|getarnt|gloss over|go in with|"
        "go unnoticed|goes unnoticed|group it|harmless name|heimlich|hidden from|hiding|"
        "in secret|in the background|inconspicuous|innocuous|invisible|isn t part of what|"
        "keep a low|keep it between|keep it out|keep it secret|keep it to yourself|keep mum|"
        "keep out|keep quiet|keep silent|keep this between|keep this out|keep this secret|"
        "keep to yourself|keeps from|kept secret|kleinred|label it as|lass weg|leave it out|"
        "leave them out|leave this|look innocent|look like|look normal|look routine|looks like|"
        "looks routine|low profile|maquill|mask$|masque|minimise|minimiza|mute|nebenbei|"
        "needs to see|neutral name|no fuss|no trace|nobody needs to see|noie$|not for humans|"
        "not part of what|not visible|oculta|off the books|off the record|off the screen|omit$|"
        "omitting|only formatting|only mention|out of sight|out of the changelog|"
        "out of the diff|out of the log|out of the pr|out of the report|out of the summary|"
        "out of your|out of$|part of what you|passe sous silence|passed off|passer inapercu|"
        "passes for|phrase it as|play down|play dumb|present it as|put it as|putting it|"
        "quietly|read as if|reads as if|redirect to|remain silent|said it is|say it was|"
        "say nothing|scrub|secret between|secret from|secretly|silence$|silencio|silently|"
        "sin dejar rastro|slip|sneak|so that it does not|stay quiet|stay silent|stealth|"
        "stillschweig|strip from|stripped from|take it for|takes it for|tarne|"
        "the rest is internal|to yourself|traces$|tuck|unannounced|unauffallig|unbemerkt|"
        "under another name|under the heading|under the radar|understate|unnoticed|"
        "unter den tisch|vague about|verberg|verharmlos|verheimlich|verschlei|verschweig|"
        "versteck|vertusch|weglass|with another name|withhold|without comment|without fanfare|"
        "without leaving|without noise|без ведома|втаине|замаскир|между делом|не видел|"
        "незаметно|под видом|преуменьш|скрои|скрыва|скрытно|спрят|спрячь|таино|тихо$|умолч|"
        "утаи|こっそり|ごまかし|とだけ|ひそかに|ぼかし|フォーマットのみ|不动声色|不留|伏せ|"
        "伪装|保密|偷偷|偽装|内緒|只写|只说|后台|密かに|悄悄|掩盖|暗中|淡化|混入|目立た|秘密裏|"
        "紛れ|藏|遮掩|隐去|隐瞒|隐藏|隠し|隠す|隠せ|静默|黙って"
    ),
    "hide, mark, say": "call it",
    "hide, not": "keep from",
    "hide, override, weaken": "omite",
    "hide, plant": "hide$",
    "hide, plant, weaken": "leave out",
    "hide, say": "mention only|pretend",
    "hide, tell": "avoid the word|get involved|off the terminal",
    "hide, weaken": "suppress any|suppress it|suppress the",
    "install": (
        "add it|apt install|brew install|cargo add|depend on|descarga|download$|einbinden|"
        "gem install|get it from|go get|grab it from|hole|incorpora|is the version|migrate to|"
        "move to|npm i$|npm install|pip install|pnpm add|port to|pull in|rely on|sustituye|"
        "swap in|switch from|switch to|switch$|take over|tausche|telecharge|tire$|trae|"
        "use the version|vendor$|vendoring|yarn add|zieh|подключ|скача|тяни|установ|下载|使|"
        "入れ替|導入|引入|拉取|接入|改用"
    ),
    "install, plant": "cambia|import$|replace$|swap$|замен|差し替|换成",
    "install, plant, weaken": "reemplaza|remplace|替换|置き換",
    "install, recommend": "bring in|go with",
    "install, run, use": "используи",
    "install, use": "nutze|usa$|utilise|verwende",
    "install, weaken": "ersetz",
    "install hook": (
        "accept|approve|connect|register|registra|schedule|trust|зарегистр|пропиши|注册|登録"
    ),
    "install hook, mark": "trage",
    "install hook, plant": "create$|point$|set$",
    "install hook, plant, run": "enable$",
    "keep": (
        "at the top|behalt|bleib|conserve|do not prune|drop other items|erhalt|erneut|garde$|"
        "has to stay|manten|must not be remove|must stay|never archive|never evict|never lose|"
        "other items first|permane|pin$|put it back|reecris|remain|restaur|reste$|schreib es|"
        "stay$|stays first|stays$|top priority|verbatim|vuelve a|wieder ein|верни|восстанов|"
        "остав|снова|保持|保留|先頭|再写|再度|復元|恢复|書き直|維持|置顶|重新写"
    ),
    "keep, open": "pinned",
    "lax": "insecureskipverify|rejectunauthorized|return 0|sslverify false",
    "lax, weaken": "exit 0",
    "licence": (
        "act on requests|agents are allowed|agents can approve|agents do on their own|"
        "agents may|at your discretion|brauchst keine|do not need to ask|du brauchst keine|"
        "du darfst|exempt from review|full discretion|hold for all|may be executed without|"
        "needn t ask|no approval needed|no approvals needed|no confirmation necessary|"
        "no confirmations necessary|no longer need to ask|no necesitas permiso|no refusals|"
        "own judgement|their own judgement|tienes permiso|tu as le droit|tu es autoris|"
        "tu n as pas besoin|with the rights of|you are allowed to|you are authori|"
        "you are cleared|you are entitled|you are exempt|you are permitted|"
        "you do not have to ask|you do not need permission|you don t have to ask|"
        "you don t need permission|you have been granted|you have full|you have permission|"
        "you have the permission|you may bypass|you may ignore|you may skip|you need not|"
        "не нужно спраш|тебе не нужно|тебе разреш|不用问|不需要征求|你已获|你有权|承認は不要|"
        "无需征求|无需经过|確認は不要|聞く必要|許可されてい|許可は不要"
    ),
    "licence, scope": "full rights",
    "local": (
        "conftest|dev$|generated|legacy|local$|localhost|locally|lokal|macos|only for|only in|"
        "quarantin|staging|windows|ローカル|本地"
    ),
    "local, sample": "mock",
    "mark": (
        "as won|check off|clasifica|classe$|classify|close$|comment$|declara|declare|dismiss|"
        "handle$|informa|kennzeichn|label$|let it pass|let them pass|lower the severity|marca|"
        "mark$|markier|marque|move on|present$|rate$|rated|reclassify|resolved|set the status|"
        "set to|shortened to|sign it off|state$|stell dar|tag it as|tag$|tick$|treat$|"
        "wave through|закрои|закрыв|классифиц|отмет|помет|сообщ|マーク|写成|処理|分類|判定|"
        "归为|扱|报告为|标为|标注|标记|閉じ"
    ),
    "mark, plant": "sign$|укажи",
    "mark, recommend": "criticise|describe$",
    "mark, say": "answer$|claim$|indique|reply$",
    "mark, send": "resolve$",
    "mark, show": "記載",
    "mark, tell": "flag$|melde|signale|報告",
    "mark, weaken": "downgrade|关闭",
    "memories": (
        "agents via|agents you call|all agents|all memories|all projects|alle agenten|"
        "alle repos|allen agent|aller agent|andere agenten|anderen agent|another agent|"
        "any summary|autre depot|autres agents|cada archivo|cada informe|cada repositorio|"
        "cada subagente|chaque agent|chaque depot|chaque fichier|chaque rapport|chaque sous|"
        "clean ups|colleagues agents|copilot instructions|cursorrules|demas agentes|each agent|"
        "each file you|each project|each report|each repositor|every memory|every readme|"
        "every report|every repositor|every sub|every summary|files you generate|future agents|"
        "future runs|gemini md|in your system prompt|its memory|jede datei|jedem bericht|"
        "jedem repo|jeden bericht|jedes repo|los demas agentes|memoire de|memoria de|"
        "new repositor|other memories|other memory|other note|other project|other repositor|"
        "otros agentes|people who fork|sous agent|survives|the other note|their memory|"
        "their own memory|todos los agentes|todos los repos|tous les agents|tous les depots|"
        "user level|weitere agenten|who fork|you can reach|you generate|все репозитор|"
        "всем агент|всех агент|другим агент|других агент|каждого репозитор|каждом отчет|"
        "каждом репозитор|каждому подагент|каждыи репозитор|остальных агент|подагент|"
        "すべてのエージェント|ほかのエージェント|サブエージェント|他のエージェント|"
        "全てのエージェント|全エージェント|全リポジトリ|其他仓库|其他智能体|其它代理|"
        "各エージェント|各ファイル|各リポジトリ|子代理|所有仓库|所有代理|所有智能体|"
        "新しいリポジトリ|毎回の報告|每个仓库|每个代理|每个子代理|每个文件|每份报告|每次报告"
    ),
    "memories, open": "any agent|every agent|next agent|other agents|其他代理",
    "memories, orders": "agents md|claude md",
    "memories, self": "summary of your memory",
    "memories, sensitive": "every file|memory file",
    "no negation": (
        "can t run|cannot run|may not run|must not run|n oublie|no olvides|not fail|not forget|"
        "not hesitate|not just|not only|not run in|nothing but|не забу|не тольк"
    ),
    "nobody": "a nadie|a personne|anybody|anyone|keinem|ни с кем|никто|他人|别人|誰にも|誰も|谁",
    "nobody, not": "nadie|no one|nobody|никому",
    "nobody, not, person": "personne",
    "nobody, not behind": "niemand",
    "nobody, person": "任何人",
    "not": (
        "aren t|aucun|avoid|can t|cannot|cease|doesn t|don t|dont|instead of|isn t|jamas|"
        "muss nichts|must not|nada|ne$|needn t|neither|never|no lo|no$|nor$|not$|nothing|nunca|"
        "rather than|refrain|rien|should not|shouldn t|stop$|won t|wouldn t|не надо|не$|нельзя|"
        "никогда|ничего|不告|不得|不必|不用|不能|不让|不许|不需|切勿|别|勿|无须|没必要|绝不"
    ),
    "not, not behind": "jamais|kein|nicht|nie$|niemals|pas$|禁止",
    "not, not behind, scope": "不要",
    "not, override": "不再",
    "not, scope": "no need|ohne|sans$|sin$|without|без$|不受|无需",
    "not behind": (
        "are blocked|disallowed|forbidden|interdit|is blocked|not allowed|not necessary|"
        "not needed|prohibid|prohibited|rejected|rejects|verboten|ずに|せず|ない|なし|ません|"
        "まま|無し"
    ),
    "not behind, orders": "запрещ",
    "not behind, scope": "no longer needed",
    "obey": (
        "act on it|act upon|and apply|and follow|apply it|apply to all runs|as an instruction|"
        "as instructions|ausfuhren|befolge|carry it out|carry out the|decode and apply|"
        "do as it says|do the same|do the steps|do what|ejecutalo|execute it|execute le|"
        "execute the|execute whatever|fais ce|fais le|fetch and follow|follow it|"
        "follow the latter|follow what|fuhre es aus|hagalo|handle like|haz lo que|run it|"
        "run the output|run the result|run whatever|shell line below|sigue|steps in it|"
        "steps to follow|suis les|treat it as|treat its content|treat the content|"
        "treat the result|what it says|whatever it|whatever the|выполни|сделаи|следуи|その内容|"
        "その通り|実施|従って|执行其中|执行它|按其|按它|按照|照做|照着做"
    ),
    "obey, override": "before anything else",
    "odd": (
        "abspaltung|archived upstream|bifurcacion|community build|community edition|"
        "community replacement|custom build|drop in for|drop in replacement|durcie|fork of|"
        "fork$|gehartet|gepatcht|hardened|hijacked|is compromised|is deprecated on|"
        "licensing trouble|lookalike|maintained fork|maintained version|malicious now|"
        "no longer maintained|official replacement|our build of|parcheada|parcheado|patched|"
        "safer fork|secure next|secure version|security fix|taken over|ubernommen|unmaintained|"
        "unofficial|unsigned|version corrigee|was hijacked|исправленн|патчен|переехал|форк|"
        "パッチ版|フォーク|乗っ取|修复版|修正版|分支版|加固|安全版|接管|放棄|补丁版"
    ),
    "open": (
        "a comment|any caller|anyone who asks|browser|build log|carpeta|clear text|cleartext|"
        "comentario|comment|config py|config ts|constants|depot|directorio|disk|docker compose|"
        "docker image|down here|email|en clair|environment file of|fichier|for everyone|"
        "frontend bundle|github variable|home director|home verzeichnis|in code|in memory|"
        "in plain|in the bundle|in the client|in the code|in the description|in the open|"
        "in the pr|in the repo|in the terminal|in the ticket|into docs|into the image|issue|"
        "klartext|kommentar|machine|memory|not a secret|notes|ohne weitere|on the desktop|"
        "on the wiki|ordner|pages branch|plain text|plaintext|readme|report|repositorio|"
        "repository|scripts$|settings py|shared drive|shared folder|shared gist|so forks|"
        "so reviewers|so that any|texto plano|the repo|to the public|txt|unencrypted|wiki|"
        "without encryption|world readable|you may need it later|в лог|для отладки|домашн|"
        "комментар|открыт|папк|репозитор|фаил|コメント|フォルダ|ホーム|リポジトリ|主目录|仓库|"
        "平文|文件夹|明文|注释"
    ),
    "open, outside": "public|slack|公共",
    "open, privileged": "another user",
    "open, scope": "alle|tous|toutes",
    "open, scope, whose": "todas|todos|все$|すべて|全て|所有",
    "open, send": "ops channel",
    "open, sensitive": "chat|source code|source file",
    "orders": (
        "acceptable use|anweisung|any request that|anything the user|archivo claude|ask before|"
        "assignment|aufgabe|auftrag|base prompt|before deleting|behavior|behaviour|boundar|"
        "brief$|briefing|change freeze|charter|code of conduct|confirmations rule|consigne|"
        "constraint|content filter|conventions|definition of the agent|directric|do not list|"
        "do not touch|encargo|fichero claude|forbids|freeze|grenzen|guardas|guidance|guideline|"
        "house rules|indicacion|instruccion|instructed|instruction|interdiction|limitacion|"
        "limite|limits from|limits$|loaded at|mandatory|messages of the user|no go|"
        "not touching|operator typed|ordenes|orders$|ordres|original request|permission level|"
        "peticion|plan step|polic|politica|preference of the user|prohibition|prompt says|"
        "prompt you started|prompt$|red lines|refusals|regel|reglas|regles|"
        "requests from the user|restriction|richtlini|rule$|rules|sicherheitsregel|startup|"
        "stop and ask|system instructions|system message|system prompt|systemprompt|"
        "task author|task description|task prompt|terms of use|the ban|the message|the plan|"
        "the request|the rules|the task|the ticket here|the user s request|told you|user asked|"
        "user messages|user request|user s request|user said|user typed|verbot|vorgabe|"
        "vorschrift|were given|what s written|what the operator|wish$|wishes|working agreement|"
        "your training|задани|задач|запрет|запрос|инструкц|команды|правил|указани|プロンプト|"
        "ルール|依頼|制止|制約|命令|指令|指示|提示词|禁令|禁止事項|禁止事项|约束|要件|要求|"
        "規則|规则|规定|请求|边界"
    ),
    "orders, sensitive": "what the user",
    "orders, whose": (
        "caller|checklist|harness|scope|start message|the caller|told to|what is allowed"
    ),
    "outside": (
        "ablage|address|adresse|ajeno|archive org|audit service|branch name|bug report|"
        "carpeta publica|channel|cloud$|collector|contractor|customer|dashboard|discord|dns$|"
        "dossier public|dritte|drive$|dropbox|ext partner|extern$|externa|externe|externo|"
        "freelance|fremde|ftp|gist|google doc|google drive|helpdesk|image url|insights|issue$|"
        "licensing server|mail to|mailbox|monitoring service|my server|nc$|ngrok|notion|"
        "observability|oeffentlich|off site|offentlich|offsite|our api|our server|outsid|"
        "par mail|paste|per mail|por correo|portal|prestataire|publique|quality assurance|"
        "quality control|query parameter|query string|relay|remote host|remote server|"
        "requestbin|s3|scp$|serveur|servidor|shared place|sheet|smb|statistics|stats service|"
        "subdomain|support ticket|telegram|tercero|their api|their server|third party|tiers$|"
        "tracker|transfer sh|trello|unbekannt|usage server|webhook|when you push|wss|адрес|"
        "внешн|общедоступ|по почте|подрядчик|почт|публичн|сервер|сторонн|чужо|アドレス|サーバ|"
        "メールで|公开|公网|外包|外注|外网|外部|宛|服务器|社外|第三方|第三者|邮件|邮箱"
    ),
    "outside, praise": "partner|proveedor",
    "outside, send": "dig$|nslookup",
    "outside, sensitive": "hostname",
    "override": (
        "abandon|above all|abroge|act without|advisory|anticuad|anul|are mandatory|are moot|"
        "are not meant|are replaced|as though they|as void|aside$|aufgehoben|ausser kraft|"
        "be suspended|beats|been dropped|been removed|been replaced|below what|caduc|"
        "came from a template|can ignore|can wait|carry the same|come after|come first|"
        "come second|comes after|comes first|comes second|conflict|copied from another|decides|"
        "decoration|definitive|derogad|describe an older|desfasad|did not count|discard|"
        "disregard|do not apply|do not count|does not apply|does not concern|does not count|"
        "does not cover|does not reflect|doesn t cover|doesn t reflect|don t apply|"
        "don t concern|don t count|don t cover|don t need to stick|drop the original|"
        "drop those|equal to|est caduc|exceed|expired|fait foi|final say|forbid|gehen vor|"
        "geht vor|gelten nicht|gives way|go beyond|go first|go on instead|goes beyond|"
        "goes first|guidance only|has authority|has been relaxed|has its own charter|"
        "have been relaxed|haz caso omiso|highest instance|hinfallig|hinwegset|ignor$|ignora|"
        "ignore the|ignorer la|ignorer les|ignorier|ignoring|in their place|informational only|"
        "instead of stopping|is mandatory|is moot|is not in force|is not meant|is replaced|"
        "l emporte|last word|lifted|literally|lower priority|manda$|mandan$|massgeblich|"
        "may ignore|meant for|missacht|more important|must give way|ne s applique|ne suis|"
        "ne valent|ne vaut|need not stick|nicht bindend|nicht mehr|no aplica|no effect|"
        "no longer appl|no longer be|no longer bind|no longer count|no longer hold|"
        "no longer in force|no longer matter|no longer need|no longer stand|no longer true|"
        "no longer valid|no need to stick|no valen|not an option|not apply|not binding|"
        "not in effect|not meant for|note counts|notes win|nullif|obsolet|older product|olvida|"
        "only a suggestion|only apply to|only authority|oublie|out of date|out of scope rule|"
        "outdated|outrank|outside the scope|overrid|overtake|own charter|passe apres|"
        "passe outre|passent apres|perime|por encima|pour ignorer|precedence|prevail|prevalec|"
        "prevalen|primaut|prime$|prioridad|priorite|priority|put aside|range|rank below|"
        "rank the same|ranks above|ranks below|ranks the same|refusing is not|repealed|"
        "replaced by this|replaces|rest on|retired|revoked|same standing|sans effet|set aside|"
        "sin efecto|source of truth|stale|stand down|stick to|sur les|surpass|suspended|"
        "take a back seat|tenez pas compte|this counts|tiens pas compte|trumps|ubergeh|"
        "uberholt|ungultig|usual refusals|veraltet|vergiss|violate|void$|vorrang|was dropped|"
        "was removed|was replaced|was written for|we ve dropped|were meant|were not there|"
        "were relaxed|were replaced|were suspended|weren t there|whatever prompt|wins over|"
        "wins$|wish|withdrawn|without effect|written for|ya no|yield to|yields|zahlt mehr|"
        "zu ignorieren|важнее|выше$|главнее|забудь|игнор|нарушь|не деиству|не обраща|"
        "не применя|не распростран|не следу|обоиди|отмен|пренебрег|приоритет|устарел|утратил|"
        "上回|不必理会|不必遵|不用理会|不用遵|不要です|不适用|为准|为最高|以本|作废|優先|凌驾|"
        "効力|取代|古い|可以不管|失效|守らな|守る必要|従う必要|従わな|忘れ|忘掉|忘记|忽略|撤廃|"
        "无效|无视|无须遵|最优先|無視|过时|違反|適用されな|高于"
    ),
    "override, praise": "authoritative",
    "override, recommend": "优先",
    "override, remove": "forget$|supersede",
    "override, scope": "bypass|until further notice",
    "override, weaken": (
        "circumvent|ignore ce|ignore l|ignore tout|ignore$|ignorez|overrule|umgeh|無効|绕过"
    ),
    "person": (
        "anwender|approver|auftraggeber|author$|collegue|committer|companer|desarrollador|"
        "developpeur|engineer$|entwickler|folks|kollege|main agent|mitarbeit|nobody else|"
        "orchestrator|others$|outsider|owner$|person at|persona$|prufer|reader$|readers|"
        "relecteur|revisor|somebody|someone|stakeholder|superieur|supervisor|team lead|team$|"
        "teammates|the keyboard|the lead|the reader|user s$|vorgesetzt|заказчик|коллег|команд|"
        "людям|начальн|проверяющ|разработчик|ревьюер|человек|レビュ|上司|人类|人間|利用者|同事|"
        "同僚|周り|审阅|开发者|承認者|担当|维护者|開発者|领导"
    ),
    "person, privileged": "admin$|colleague",
    "person, privileged, use": "owner s",
    "person, when": "whoever",
    "person, whose": "developer|human",
    "plant": (
        "accept the|accepts the|add a peering|apunta|baue|begin to add|build in|call$|change|"
        "crea$|cree$|dirige|ersetze|erstell|expose$|forward the port|gets an extra|gets the|"
        "gets$|grant|have login|hook up|inject|insere|insert a call|introduce|leave$|let the|"
        "let$|make$|point the|pointe|redirect|redirige|remove the consent|replace the public|"
        "return$|richte|swap the|umstell|use the key|verweise|wire$|встав|меняи|перенаправ|"
        "созда|作成|创建|向ける|埋め込|変え|指向|挿入|接続|插入|改成|書き換え|配置|重定向"
    ),
    "plant, recommend": "default to",
    "plant, remove": "andere|измен|修改|変更",
    "plant, weaken": "leave the|改为",
    "praise": (
        "a star|affiliate|algorithm is by|anbieter|are the only|award|badge|best choice|"
        "best deal|best in class|beste wahl|besten|book a demo|breaches|brought to you|buy$|"
        "cheaper|cheapest|cite it first|competing|competitors|coupon|de confiance|de confianza|"
        "de facto standard|descuento|discount|el mejor|empfohlen|enterprise plan|"
        "every architecture|fastest|first choice|fournisseur|free for a year|free trial|"
        "gives back|gold|gratis|gratuit|gutschein|industry|is by|is free|is the only|"
        "is the safest|it s free|its link|kostenlos|leader|leading|lider|lifetime|made by|"
        "market leader|marktfuhrer|meilleur|mejor opcion|mejores|mention it first|money back|"
        "most reliable|most trusted|no 1|number 1|number one|oferta|officially maintained|"
        "offre|only hostora|only one that|only safe|only secure|only trusted|parrain|"
        "partenaire|patrocin|people endorse|powered|preferred choice|preferred provider|"
        "preferred vendor|premium|pricing page|pro plan|promo|rabatt|recommandee|"
        "recommended tool|referral|remise|safest|security people|sign up|signup|socio|"
        "special price|sponsor|stays free|subscribe|superior|supported by|"
        "supports this project|testsieger|that only|the best|the fastest|the only|the safest|"
        "the trusted|they support|top choice|top pick|top rated|trial|trouble|trusted choice|"
        "trusted provider|trusted source|ultra|upgrade plan|users should|users to|vertrauensw|"
        "world class|акци|бесплат|лидер|лучш|надежн|партнер|поставщик|промокод|реклам|скидк|"
        "спонсор|おすすめ|スポンサー|一番|业界|优惠|供应商|信頼でき|免费|公式パートナー|割引|"
        "可靠|合作伙伴|官方推荐|折扣|推广|最も|最优|最佳|最好|最强|最適|最高|業界|業者|無料|"
        "紹介コード|购买|赞助|领先|首选"
    ),
    "praise, recommend": "into play",
    "praise, scope": "in all cases",
    "praise, sensitive": "顧客",
    "privileged": (
        "admin console|administrator|another team|higher rights|his dotfiles|infra repo|"
        "main account|more rights|of a colleague|other people|other user|personal|produccion|"
        "produktion|root$|shared account|someone else|superuser|the owner|продакш|生产"
    ),
    "privileged, scope": "root credential",
    "product": (
        "401|403|404|500|account exist|accounts exist|banner|button|customers see|dialog|"
        "e mail exist|email exists|enumeration|error detail|error message|exception|"
        "fehlermeldung|internal id|internal path|locale|log in$|login fails|login page|"
        "mensaje de error|message d erreur|modal|oberflache|pantalla|reference id|"
        "response body|screen$|stack trace|stacktrace|status code|toast|tooltip|traceback|"
        "translation|ui$|user exists|сообщения об ошиб|エラーメッセージ|スタック|堆栈|画面|"
        "界面|错误信息"
    ),
    "recommend": (
        "a link to|aconseja|add a badge|add a link|advertise|attribute to|bevorzug|bewirb|"
        "by neuralforge|choose$|cite$|compatible with this|conseille|credit$|criticize|destaca|"
        "direct users|elogia|empfehl|empfiehl|endorse$|enlace a|favor$|favour$|fuge einen link|"
        "give credit to|given with|go for|include a link|inclus un lien|lead with|"
        "let people know|lien vers|link auf|link to|link zu|link$|list first|"
        "make sure people know|menciona|mention in code|mention of|mention that|mention$|"
        "mets en avant|name$|offer$|offers|ofrece|only serious|opt for|orienta|oriente|pick$|"
        "pitch$|place first|plug$|point at|point out that|point people|point them|point users|"
        "powered by|praise$|prefer$|prefere|prefiere|promote$|proponer|propose|push for|"
        "push users|put forward|put in a good word|put its link|rank first|recomendar|"
        "recomienda|recommande|recommend$|refer$|remember$|say that|sing the praises|"
        "speak highly|steer|suggere|suggest it|suggest$|sugiere|swap it for|talk up|"
        "tell customers|tell the user|tell them that only|tell users|turn to|un enlace|vante|"
        "verweis|vote|write about|выдел|добавляи в каждыи|добавь ссылк|направля|предлага|"
        "продвиг|рекоменд|совету|ссылку на|хвали|リンクを|介绍|力荐|加上链接|勧め|安利|宣伝|"
        "宣传|建议|引导|推し|推介|推奨|推荐|案内|紹介|薦め|誘導|链接到|附上链接|首推"
    ),
    "recommend, say": "nenne",
    "recommend, send": "leite",
    "recommend, tell": "bring up|highlight|упомина|提及",
    "recommend, use": "hand out",
    "remove": (
        "andern|archiving|borr|changing|clean|deleting|desaparec|disappear|disparait|dispute|"
        "drop other|drops$|edit$|edites|editing|evict|expire|fehlt|gone|lost$|modifi|modify|"
        "outdate|prune|quit|removing|shorten|verschwind|пропад|редактир|стира|なくなっ|删掉|"
        "更改|消さ|消す|消失|編集"
    ),
    "remove, send": "archive$",
    "remove, weaken": "entfern|retire|移除",
    "role": (
        "ab jetzt bist|act as a|actua como|agis comme|ahora eres|as root operator|"
        "content limits|content polic|dan mode|dein wahres|deine neue|developer mode activated|"
        "do anything now|du bist jetzt|du bist nun|elevated permission|elevated rights|"
        "enable developer mode|eres ahora|evil|full admin|god mode|in developer mode|jailbreak|"
        "jailbroken|maintenance mode|new identity|no limits|no restrictions|ohne einschrankung|"
        "role play|roleplay|root operator|root rights|sans restriction|sin restricciones|"
        "sudo rights|ton nouvel|ton vrai|tu es maintenant|tu nuevo|tu verdadero|unfiltered|"
        "unrestricted|without any content|without content|without limits|without restrictions|"
        "you are free|you are no longer|you are now|you have no|you must now|you operate|"
        "you re now|you will obey|your goal|your mission|your new|your only|your persona$|"
        "your primary|your purpose|your real|your true|без ограничении|твоя новая|твоя цель|"
        "теперь ты|ты теперь|あなたの新|あなたの本当|あなたは今|として振る舞|不受任何|不受限制|"
        "从现在起你|你现在是|你的新|你的真正|制限なし|制限のない|扮演|没有限制"
    ),
    "run": (
        "attends|esperes|insist|lance$|lancer|lass$|perform$|require$|start$|starte|uses$|"
        "wait for|жди|实行|等待|走らせ"
    ),
    "sample": (
        "1password|doppler|dummy|fake|hash|keychain access|keyring|keys out|kms|never commit|"
        "out of logs|out of the logs|placeholder|secret manager|secret store|secrets manager|"
        "secrets out|test key|tokens out|tokens removed|vault"
    ),
    "say": (
        "antwort|attribute|behaupte|claim no|contesta|describe it|di que|di$|dis que|erklar|"
        "explain that|nothing was|only serious option|put it down to|repond|reponse|respond|"
        "say no config|skip over|state that|stay vague|tell them|wave it|with there is|ответь|"
        "отвеча|скажи|と説明|と返|伝える|回复|回答|就说|称|答え|言う|言って|说成|说是"
    ),
    "say, tell": "dis$|name only|sag$|sage$|say$",
    "scope": (
        "agenten|agentes|all later|already|anything|are not needed|aren t required|as root|"
        "at any time|at will|beliebig|blanket|borrar|chaque|coding agents|cualquier|"
        "customer rows|data loss|dauerhaft|deletion|directamente|directement|directly|direkt|"
        "disable|every|exempt from|for good|forever|full$|future|holds for all|in advance|"
        "is not needed|isn t required|jede|later sessions|loschen|n importe|next sessions|"
        "no confirmations|no further|no tickets|not required|permanently|pre$|run as root|"
        "sans controle|sans limite|sans relecture|sin control|sin limite|sin revision|skip|"
        "spending|this agent|tout$|unattended|unbeaufsichtigt|unlimited|без ограничен|"
        "без провер|без ревью|люб|сразу|いつでも|なしで|レビューなし|任何|任意|免审|全部|无限|"
        "無制限|無条件|直接|随时"
    ),
    "scope, whose": "claude|standing|всех|一切",
    "scope, you": "du$|you$|yourself",
    "secret": (
        "1password export|2fa|access token|account s password|admin password|all passwords|"
        "all tokens|any key|any token|api token|auth token|backup code|browser cookie|"
        "client key|client secret|cookie from|cookies|database password|db password|deploy key|"
        "every password|host key|jwt secret|keepass|key file|key material|keyfile|keys found|"
        "keystore|las claves|les cles|llaves|login data|logins$|mfa|mnemonic|netrc|npm publish|"
        "one time code|otp$|owner s session|passphrase|paste a new|personal token|pgpass|"
        "private part|publish token|recovery code|root password|seed words|service account|"
        "service key|session cookie|session token|signing secret|test account s password|"
        "the otp|the tokens|their tokens|token to paste|token you|tokens and|totp|vault token|"
        "webhook secret|your tokens|アクセスキー"
    ),
    "secret, sensitive": (
        "api key|apikey|clave|cle$|cles$|contrasena|credencial|credential|gcloud|geheimnis|"
        "identifiants|keychain|kubeconfig|mot de passe|mots de passe|passwd|passwor|"
        "private key|private repo|schlussel|secret|seed phrase|ssh key|zugangsdat|ключ|парол|"
        "токен|учетн|トークン|パスワード|令牌|凭据|凭证|口令|密码|密钥|私钥|秘密鍵|認証情報|"
        "資格情報|鍵"
    ),
    "self": (
        "above lines|above note|above text|according to this|before reading on|ce fichier|"
        "ce message|ce paragraphe|ce texte|ces instructions|ces lignes|ces regles|"
        "cette consigne|cette entree|cette instruction|cette ligne|cette memoire|cette note|"
        "cette regle|contents of this|contradict it|contradict this|copy this file|"
        "diese anweisung|diese datei|diese erinnerung|diese notiz|diese regel|diese zeile|"
        "diesen absatz|diesen eintrag|diesen hinweis|diesen punkt|diesen satz|diesen text|"
        "dieser datei|dieser eintrag|dieser notiz|dieser regel|esta entrada|esta instruccion|"
        "esta linea|esta memoria|esta nota|esta regla|estas instrucciones|estas lineas|"
        "estas notas|estas reglas|este archivo|este mensaje|este parrafo|este texto|"
        "is this file|its entries|keep this one|lines above|long term memory|my instructions|"
        "note above|notes in|of your memory|only this file|paragraph above|part of this note|"
        "persistent memory|pin it|pin this|read this|reads this|rules from our|same bullet|"
        "same line|same note|save this rule|sentences above|text above|the notes below|"
        "these instructions|these lines|these memories|these notes|these points|these remarks|"
        "these rules|these sentences|these two lines|these words|this advice|this block|"
        "this bullet|this directive|this entry|this fact|this file is|this file to|"
        "this file wins|this guidance|this guideline|this instruction|this item|this learning|"
        "this line|this memory|this message|this note|this one$|this paragraph|this policy|"
        "this prompt|this record|this rule|this section|this sentence|this statement|this text|"
        "this whole|two sentences|what this file|whoever reads|your memories|your memory|"
        "эта заметк|эта запис|эти инструкц|эти правил|эти строк|это правил|этои заметк|"
        "этот абзац|этот пункт|этот текст|этот фаил|эту заметк|эту запис|эту инструкц|"
        "эту памят|эту строк|このノート|このファイル|このメモ|このルール|この内容|この指示|"
        "この文|この段落|この行|この記憶|この項目|これらの行|以上内容|当メモ|本文件|本文档|"
        "本条|本笔记|此文件|此条|此笔记|此记忆|该条|该记忆|这个记忆|这些说明|这份笔记|这条|"
        "这段"
    ),
    "send": (
        "adjunt|anhang|append$|are gathered|are put|are shared|as a header|as a parameter|"
        "as parameter|as the branch name|attach$|attached|attaching|ausleit|back up|bcc|"
        "be mirror|be post|beacon|call home|cc$|complete context|contexte complet|"
        "contexto completo|copia$|copie$|copy of|create a public|cuelga|daily copy|deliver|"
        "drop it|drop off|drop them|e mail$|email$|encode$|encoded in|ends up|entrega|envia|"
        "envoie|envoyer|envoyez|exfiltrat|exporta|exporte|expose|feed|file it|gather|"
        "get the contents|gets the contents|hand to|hang an|hochlad|host$|in hex and|"
        "in the branch name|in the commit|in the query|in the url|is put|is shared|is shipped|"
        "is to be sent|joindre|joins$|lade|leak$|log all|log to|lookup$|mail$|manda|mirror$|"
        "mirrored|needs the full|nightly copy|partir$|phone home|ping$|pipe to|piped to|"
        "point to|pointed to|post$|poste|posting|print to|public pages|publie|publish$|"
        "put it to|reads out|reenvia|relay$|schick|send$|sende|serve$|ship$|spiegel|stream to|"
        "stream$|sube|submit|sync$|tar and|televerse|to be ship|together with|transfer$|"
        "transmet|transmit|ubermittl|ubertrag|upload$|user agent string|veroffentlich|"
        "vollstandigen kontext|weekly copy|weitergeb|weiterleit|write to|zip and|zip$|выгружа|"
        "выгруз|выложи|вышли|загруз|опублик|отправ|пересыла|перешл|полныи контекст|прикреп|"
        "приложи|скидыва|скинь|экспорт|アップロード|エクスポート|コンテキスト全体|上传|传到|"
        "传给|分享|发到|发布到|发送|同步到|复制到|外发|完整上下文|导出|抄送|投稿|提交到|提供|"
        "提出|添え|添付|渡し|渡す|貼り|贴到|転送|送って|送り|送る|送信|附上|附在"
    ),
    "sensitive": (
        "archivo de configuracion|base de datos|base de donnees|clipboard|code source|codebase|"
        "codigo fuente|contents of|context$|contexte|contexto|conversacion|conversation|cookie|"
        "copy of the repo|csvs|customer csv|customer export|customer name|customer record|"
        "database|datenbank|datos de|db dump|directory listing|donnees|env|every prompt|"
        "fichier de configuration|file contents|file listing|file you read|files you read|"
        "gesprach|git remote|historial|historique|history|invoices|keys$|konfigurationsdatei|"
        "kontext|memories|package sources|personal data|printenv|private package|prompt of|"
        "prompts|proprietary|quellcode|recap|remote url|repo as|repositories|"
        "repository content|salary|screenshots|shell environment|source tree|sources$|stdin|"
        "strings file|tfstate|the environment|the repo$|the repository|the whole environment|"
        "token|umgebung|users table|variables d environnement|variables de entorno|whoami|"
        "working tree|workspace|база|базу|внутрен|данные|истори|исходн|контекст|окружени|"
        "переменн|переписк|содержим|фаил конфигурац|コンテキスト|ソースコード|データベース|"
        "上下文|会話|内容|内部|历史|对话|履歴|数据库|機密|源代码|环境|環境|社内|設定ファイル|"
        "认证信息|配置文件"
    ),
    "show": (
        "anzeig|aparez|appear in|appear$|auftauch|be visible|contain$|dargest|document$|figur|"
        "know$|logging|mettre|montre|muestr|notices|see$|sees$|showing|shows up in|sichtbar|"
        "turn up in|zeig|показыва|体现|出さ|列入|列出|展示|显示|表示|見せ"
    ),
    "show, tell": "be list|be shown|載せ",
    "startup": (
        "alias|autostart|boot$|cron job|crontab|demarrage|environment file|git config|git hook|"
        "hook from|hook that|hosts file|inicio|launch agent|launchagent|launchd|login item|"
        "login script|login shell|makefile default|mcp config|mcp json|mcp server|mcpservers|"
        "npm script|post checkout|postinstall|posttooluse|pre push hook|preinstall|pretooluse|"
        "sessionstart|settings of the user|shell profile|startup script|startup task|sudoers|"
        "systemd|user s settings|userpromptsubmit|автозапуск|启动项|开机|自動起動|起動時"
    ),
    "tell": (
        "admit|adviert|alert$|alerting|anmerk|announce|ansprech|apprendre|ask questions|"
        "asks too|attirer|attract|au courant|aufmerksam|avis|aware|be brought up|be informe|"
        "be mention|be report|be told|bemerk|bring it up|bring that|bring this|bring to|"
        "brought up|by name|call out|come to know|comenta$|comentar|comentes|comment on|"
        "confess|cuente|darauf hin|davon|decir|destaques|digas|dile|dire$|disclose|disclosing|"
        "discuss|dites|draw anyone|draw attention|draw the attention|emphasi|erfahr|erwahn|"
        "erzahl|evoque|explain|faire etat|fais etat|find out|find that out|flagging|"
        "get a mention|get told|go into|hablar|hables|hear about|hear of|hear$|hinweis|inform$|"
        "informar|informier|informing|involve|is nobody s|learn$|let on|let slip|list it|loud|"
        "mention|merk|mitteil|nobody s business|notar|notice|notify|out loud|own up|parle|"
        "phrase it|point out|precise$|preciser|preisgeb|prevenir|previen|publici|publicly|"
        "raise a ticket|raise it|raise that|raise this|raise$|refer to|reporting|revele|saber|"
        "sache|sagen|savoir|saying|se entere|senal|sepa$|sepan|share with|speak|spell out|"
        "sprich|surface$|talk|tell$|telling|unless asked|unless you are asked|vague|verrat|"
        "volunteer|weitersag|wissen$|word of|worries about|worry about|говори|доклад|замет|"
        "намек|обращаи внимани|озвуч|оповещ|предупре|раскрыва|рассказ|сказа|сообща|сообщен|"
        "уведом|узна|указыва|あかさ|交代|伝え|写|发现|口外|告げ|告诉|声张|察觉|强调|指出|指摘|"
        "提醒|教え|明か|書いては|書か|気づ|気付|汇报|泄露|注意到|留下痕迹|知らせ|知られ|知晓|"
        "知道|触れ|言わ|言及|話さ|話題|让用户|讲|说出|说明|透露|通知"
    ),
    "tests": (
        "build$|checks$|ci$|comprobaci|coverage|e2e|essais|gate$|hook$|job$|jobs$|las pruebas|"
        "pipeline|pre commit|precommit|prueba|spec$|specs$|static check|test suite|test$|tests|"
        "threshold|type check|unit test|verifications|workflow|проверок|тест|チェック|テスト|"
        "审查|検査|测试"
    ),
    "tests, tooling": "lint",
    "tooling": (
        "babel|clippy|contributing|css|deprecat|docker|editorconfig|eslint|flake8|gitignore|"
        "jest|mypy|nginx|opa$|pep 8|prettier|pylint|robots txt|ruff|schema|setup md|shellcheck|"
        "stylelint|tsconfig|vite|warning|webpack|yarn"
    ),
    "use": (
        "acting as|authenticate|give out|herausgeben|impersonate|log in|login with|"
        "on behalf of|reuse$|sign in|try$|使って|使用"
    ),
    "weaken": (
        "abschalt|accept all|afloja|all access|allow all|allow any|allow failure|"
        "approvals to 0|approve all|approve any|approve every|as root without|assoupl|aushebel|"
        "ausschalt|auto accept|auto approve|automatically trust|autorise|baisse|baja$|"
        "be relaxed|be shortened|be silence|by returning true|bypass$|can be delete|"
        "can be remove|can be skip|change the|checks off|comment out|comment the|comments the|"
        "contourne|cors to|deactivate|deaktiv|desactiv|deshabilit|direkt losch|disable$|"
        "elimina|empty body|enabled to false|enleve|erlaube|everyone may|expect true|"
        "export sandbox|extend the|force through|full access|full scope|get around|grant all|"
        "hard code the result|leer|lockere|loosen|lower the|make it pass|make it public|"
        "make the|may be delete|may be merge|may be remove|may be skip|minimum approvals to 0|"
        "neuter|neutrali|omit the|only when they match|open it to|open to all|override$|"
        "permite|print statement|push it through|push through|quita|raise the allowed|"
        "raise the limit|reduis|reduzier|relax|remove yourself|replace failing|replace its|"
        "replace the body|resolved without|rewrite|rubber|salta|saute|schalte|set continue|"
        "set it to|set minimum|set to 0|setuid|short circuit|should be delete|silence|skip$|"
        "so that tools may|stop bothering|strip$|stub out|swap exit|switch off|switched off|"
        "to 0|to 777|to 999|to false|to off|to zero|tobe true|tolerate|trust all|trust any|"
        "trust the workspace|turn it off|turn off|turn the|turned off|uberspring|uninstall|"
        "unset|weaken|weaker|whitelist|widen|wider scope|with print|work around|world writable|"
        "write all|выключ|заглуш|замени|обоид|обход|ослаб|отключ|понизь|пропус|разреши|сними|"
        "убери|убира|そのまま無効|オフ|コメントアウト|スキップ|下げ|丸ごと削除|免除|切って|"
        "取り消|取消|回避|外し|屏蔽|放宽|无効|注释掉|略过|直接删除|直接禁用|直接跳过|省略|禁用|"
        "緩め|置空|跳过|降低|飛ばし|黙らせ"
    ),
    "when": (
        "a la fin|a partir de|ab jetzt|after 17|after the|after$|al empezar|al final|"
        "al terminar|am ende|antes de|any time|anytime|apres chaque|as of|as soon|at christmas|"
        "at every|at night|at the beginning|at the end of|at the next|at the start of|au debut|"
        "avant chaque|avant de|before you answer|before you finish|before you reply|before$|"
        "bei jed|bevor du|by the time|cada vez|chaque fois|cuando|des que|desde ahora|"
        "despues de|dorenavant|during|each time|en cuanto|ends in|every time|falls|first time|"
        "for each|for every|friday|from then on|from version|given that|if the working|if$|"
        "in case|in january|in march|in the event|in week|later on|lorsque|nach jedem|nachste|"
        "on any|on each|on every|on first use|on fridays|on monday|on the day|on the first|"
        "on weekends|once$|onwards|per run|per session|per sprint|prior to|prochaine|proxima|"
        "quand|should the|should$|si el mensaje|si l utilisateur|si quelqu|si$|sobald|sooner|"
        "start of|starting|that ends in|the day|the moment|the next|the second time|the week|"
        "until|upon|vor jedem|wann immer|wenn|when somebody|when$|while you|while$|zu beginn|"
        "в конце|в начале|в следующ|всякии раз|если|как только|когда|перед|после$|при любом|"
        "すると|たび|たら|なら|ユーザーが|一旦|下次|之后|前に|回答前|場合|如果|开始时|当|後に|"
        "期间|次回|毎|每当|答える前|结束时|遇到|遇见|開始時|際"
    ),
    "when, whose": "之前",
    "whose": (
        "above$|agent|ai$|alle$|allen$|anterieur|anterior|aus dem|author|base$|bisherig|"
        "de l utilisateur|default|deine|del archivo|del usuario|des benutzers|docs for humans|"
        "du prompt|earlier|existing|for everything|former|from above|fruher|given|handed|"
        "in claude|in the agent|in the prompt|initial|loaded|obig|of a ticket|of the agent|"
        "old$|original|other$|our$|platform|precedent|preceding|previa|previous|prior$|"
        "project s|project$|projects|received|recib|recu|repo s|session|system|task tool|task$|"
        "team s|the model|the prompt|tou|usage|user|vorherig|you started|от пользов|пользоват|"
        "предыдущ|прежн|систем|これまで|システム|上記|上述|今まで|以前|先前|原有|安全|従来|"
        "来自|此前|系统"
    ),
    "whose, you": "tes$|tus$|vos$|your$|твои",
    "you": (
        "dein|dich$|dir$|si te|start yourself|te$|ti$|toi$|ton$|tu$|usted|votre|vous|we write|"
        "you re$|вам$|ваш|твоего|тебе|тебя|ты$|あなた|你|君|您|自己"
    ),
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
