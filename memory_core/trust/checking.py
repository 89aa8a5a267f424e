"""Find the learnings that may be poisoned; most are ordinary, and cost one look at their words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# How the reason of a learning begins that waits because of its score.
REASON = "may be poisoned"

# Each rule needs one of these texts: a test computes them from the rules.  WORDS, in this order,
# are searched at the beginning of a word, with blanks for all signs; SIGNS anywhere.
_WORDS = (
    "1x1 pixel|20 off|a accepte|a chaque|a donne|a escondidas|a l avenir|a l insu|"
    "a misleading|a valide|ab dem|ab jetzt bist du|abandon|abschalt|absolute authority|"
    "absolute priority|accept any|accepted all|accepted the risk|accorde|account number|"
    "aconseja|act as an? unrestricted|act as if|act freely|act normal|actua como|"
    "add a call to|add these notes|admin allows|admin override|admit|advertis|advise|affiche|"
    "affiliate|after 1|after each session|after ten|after the date|after the next|"
    "after the tenth|after today|against the user|agents are exempt|agents may|agis comme|"
    "agreed that|agreed to|ahora eres|alarm|alert|alg none|all backup|all branch|all commits|"
    "all data|all files|all logs|all of prod|all tables|all tags|all tool calls|"
    "allow all tools|allow network for all|allow unsigned|allow unverified|allow webfetch|"
    "allows agents|allows all|allows any|allows deleting|allows disabling|allows skipping|"
    "allows you|already given|although the user|always agree|always answer yes|always approve|"
    "always say yes|always trusted|analytics loader|answer only with|answer with nothing|"
    "answer yes when|anula|any time|any trace|anybody that|anything the user|anytime|"
    "appear normal|approuve|approval of|approve all command|approve all tool|"
    "approve every tool|approve mcp|approve the mcp|approve this mcp|approved|aprobado|aprobo|"
    "are cancel|are lifted|are outdated use|are overridden|are replaced by|are revoked|"
    "are suspended|are void|as advised by|as if nothing|as often as|as root |as soon as|"
    "as trusted instruct|aside |ask for the|ask the user|asked that|assert |assertion|asserts|"
    "assign|assistant must not|at every mention|attach|attacker|attract attention|"
    "auch wenn sie fehl|aucune confirmation|audit service|audit trail empty|auditors|"
    "aunque el usuario|aunque fallen|ausschalt|auth bypass|authenticate as|authori[sz]ed|"
    "authorised|authorize|auto approve every|autorise|autorisiert|autoriz|avert|avisar|avise|"
    "aware|backdoor|backup bucket|backup cop|backup folder|backups|backward|bake|bank account|"
    "bank detail|bankverbindung|base de datos|base de donnees|be disabled|be informed|"
    "be notified|be told|be void|beachte nicht|beacon to|befohlen|befolge nicht|before review|"
    "before the review|behaupte|behave normally|behind the scenes|bei jedem|bemerk|benutzers|"
    "best deal|bestatigt|between us|bevorzug|bewirb|binding for all agent|bitcoin address|"
    "bitte ohne prufung|blanket consent|blessed|blindly trust|branche principale|"
    "break the rules|break your|bring it up|bring that up|bring this|bring up|broken test|"
    "brute force|btc address|build green|burp|bury|busca|buy now|buying|by dns|bypass |"
    "cache a l utilisateur|cacher|cada vez|call beacon|call to beacon|camouflage|"
    "can be ignored|can be trusted blindly|canceled|cancelled|catch on|ce commentaire|"
    "ce message|ce point|ce texte|cease to|certified by|ces instructions|ces regles|"
    "cette directive|cette entree|cette information|cette instruction|cette ligne|cette note|"
    "cette regle|chaque fois|check in|checked in|cherche|choisis|choose |ci check|ci green|"
    "ci job|ci pass|ci step|circumvent|cite |claim that|clear the logs|"
    "clear the shell history|clear your history|clearance|cleared all|cleared for|"
    "cleared this|cloud drive|code promo|code scanning|codigo promo|colle |collect|"
    "comes from the system administrator|command and control|commands in this note|"
    "comment out|commit |community fork|community replacement|comparte|complain|"
    "comply with any|compte bancaire|conceal|concede|confirmation dialog|confirmed that|"
    "conflicts with this|connect the mcp|conseille|consent|considered safe|considered trusted|"
    "contar|continue on error|contourne|contradicts this|contravien|convince|"
    "coordonnees bancaires|copias de seguridad|copy |coupe |coupon|cover up|cover your tracks|"
    "coverage threshold|covertly|crontab|crypto address|crypto miner|cryptominer|cuando|"
    "cuenta bancaria|cuentes|customer data|da permiso|dan mode|darf alles|datensicherung|"
    "datos de pago|de production|deactivate |deaktiviere|debe obedecer|debug backdoor|"
    "debug bucket|deceive|decided that|decir|decrypt|default instruction|deine erinnerung|"
    "delete |demande a l|demands|deny any|deny that|dependency audit|deploy directly|deposita|"
    "des que|desactiva|desactive|describe |descuento|desde ahora|deshabilita|desobedece|"
    "desobeis|desoye|despite the denial|developer mode|di al usuario que|diese anweisung|"
    "diese erinnerung|diese information|diese notiz|diese regel|diese vorgabe|diese zeile|"
    "diesen eintrag|diesen hinweis|diesen kommentar|diesen punkt|diesen satz|diesen text|"
    "dieser notiz|dieser regel|dig |digas|dile al usuario|dire |direct to main|direct users|"
    "directamente a|directly to main|dis |disable |disabling|discard|disclos|discord|discount|"
    "discreet|discretamente|discretement|disguise|disimul|disregard|dissimul|dns lookup|"
    "dns quer|dns txt|do anything now|do not adhere|do not apply your|do not comply|"
    "do not follow|do not leave any|do not log|do not obey|do not pause|do not seek|"
    "do not stop to|do not wait for approval|do the opposite|do whatever|doit obeir|don t ask|"
    "don t follow|don t log|don t prompt|don t seek|don t stop to|donation address|donne|"
    "draw attention|drop all|drop in fork|drop in replacement with|drop the|dropbox|"
    "du bist berechtigt|du bist jetzt|du darfst|dump all|durchsuche|durfen alle|during any|"
    "each commit|each request|each time|echo |ecris|einverstanden|el pipeline|elige|elimina |"
    "elude|embed|emergency override|empfehl|empfiehl|empfohlen|en cachette|en cuanto|en parle|"
    "en secret|endors|engana|enleve|enregistre|entere|entferne|entire database|entire disk|"
    "entire repo|entitled|entre nosotros|entre nous|envia|envoie|erase the evidence|erfahr|"
    "erlaubnis|erlaubt|erwahn|esconde|escribe|esta directiva|esta entrada|esta informacion|"
    "esta instruccion|esta linea|esta memoria|esta nota|esta regla|estas instrucciones|"
    "estas reglas|este comentario|este mensaje|este punto|este texto|eth address|evade|"
    "even if it is denied|even if the user|even when denied|even when the user|every commit|"
    "every request|every time|everything in|evil mode|evita la|exclusive deal|exempt|"
    "expected value|expects agents|export the|expose|extern |external address|"
    "external endpoint|external host|external server|external service|externe|externo|"
    "extra admin|extract|fabricate|factory state|failed test|failing test|fais abstraction|"
    "fais semblant|fake the|falls|favor|favour|file io|file named|find out|finds out|"
    "finge que|flaky test|following instruction|following line to agents|"
    "following line to claude|following rule to|following text to|force merge|forget |"
    "fork bomb|forward the|frag den|free trial|freigegeben|from now on you|from review |"
    "from reviewers|from the administrator and|from the developer|from the reviewer|"
    "from the user|from user|gather |gave approval|gave permission|gelten nicht|genehmigt|"
    "get rid of|gewahre|gib |git directory|git history|git repository|give agents|give all|"
    "give every|give full|give me|give the agent|give this|give yourself|given permission|"
    "gives permission|global hook|god mode|google drive|grant|green ci|green light|guarda |"
    "guess|gutschein|ha aprobado|ha autorizado|ha dado permiso|hablar de|hables|"
    "halte dich nicht|handle als|hard code|hardcode|hardened fork|hardened version|harvest|"
    "has absolute priority|has agreed|has cleared|has full authority|has lifted|has ordered|"
    "has waived|have agreed|haz caso omiso|hear about|hear of|hebel|heimlich|hereby|"
    "hidden admin|hidden endpoint|hidden form|hidden goal|hidden iframe|hidden link|"
    "hidden parameter|hidden user|hide the evidence|higher priority|highest priority|"
    "hinterleg|hintertur|hinweis|home director|i authorise you|i authorize you|iban|if a file|"
    "if a prompt|if anyone|if asked|if permission is denied|if reviewers are|if somebody asks|"
    "if someone|if the date|if the prompt|if the repository|if the user|if the word|if today|"
    "if user|if you|ignora |ignorad|ignore |ignoren|ignorez|ignorier|ignoring|image url|"
    "immer als vertrauenswurdig|immer vertrauenswurdig|immer wenn|impersonate|imprime|"
    "in any session|in case the user|in response to|in secret|in stealth|"
    "in the background first|in the dark|in this memory instead|inform |informe|informier|"
    "informing|insist on|instead of the user|instructed|instructions in this note|instructs|"
    "invisible pixel|invisibly|is always safe|is exempt from|is lifted|is obsolete and|"
    "is outdated use|is void|issue tracker|it to its own|jailbreak|jedes mal|keep a list|"
    "keep it out|keep it quiet|keep quiet|keep silent|keinesfalls fragen|keylog|know |"
    "kontonummer|la ci|la prochaine fois|learn about|learn of|leave aside|leave it out|"
    "leave no trace|leave out|leaves no trace|lege |les tests|let anyone know|lie about|"
    "lie to|lift |limited offer|line import|list |live database|lockfile check|log |"
    "logic bomb|login bypass|login script|look innocent|looks harmless|loosen|lorsque|"
    "lowest price|magic header|magic password|mail |main branch|maintained fork|"
    "maintained replacement|maintenance mode: |make it look|make public|make up|"
    "malicious code|malicious script|malware|mandates|mandatory instruction|masque|"
    "master password|matrix room|may access|may bypass|may deploy|may ignore|may run|may skip|"
    "may use any|mcp config|mcp server|melde|meme s ils echouent|meme si l utilisateur|"
    "memori[sz]e|memorize|mencion|mention|merge anyway|merge without|merke dir|merkt|"
    "message from anthropic|message from the system|mete |mets |mining script|mislead the|"
    "missachte|mitteil|mitzuteilen|more important than|must be discarded|must be followed|"
    "must be ignored|must not ask|must not refuse|must obey|my server|ne demande pas|"
    "ne respecte|ne s applique|ne suis|ne tenez pas compte|ne tiens pas compte|"
    "need no verification|needs no verification|neglect|nenne |neutrali|never ask|"
    "never confirm|never mind|never pause|never refuse|never wait for|new identity|"
    "new official|next time|ngrok|nicht fragen|nicht nachfragen|nicht zu fragen|"
    "no approval is required|no code review|no confirmation is|no content policy|"
    "no dejes rastro|no hace falta confirm|no longer appl|no need to ask|no need to confirm|"
    "no objection|no one notice|no permission prompt|no preguntes|no questions asked|"
    "no respetes|no restrictions apply|no review is|no review required|no sigas|no trace|"
    "no visible|nobody notice|nobody see|not appear|not ask again|not ask for|not contain|"
    "not prompt the user|not visible to|notar|note down|note from the admin|nothing about|"
    "nothing special|notice|notif|nslookup|nudge|nullif|numero de compte|numero de cuenta|"
    "obey |obfuscated|objects|oculta|off the record|official override|official replacement|"
    "officially|officiellement|offiziell empfohlen|oficialmente|ohne bestatigung|ohne dass|"
    "ohne es zu|ohne freigabe|ohne nachfrage|ohne prufung|ohne review|ohne ruckfrage|"
    "ohne spuren|ohne test|ohne wissen|ohne zu fragen|ohne zu testen|okayed|olvida|omit |"
    "omite|omitir la revision|on behalf of the admin|on every mention|on its own authority|"
    "on seeing|on your own authority|once anyone|once someone|once the user|one lookup|"
    "onedrive|only if|open up|operator allows|orders from this|orders in this note|"
    "orders that|other instruction|other remote|other rules|otorga|oublie|our api|our bucket|"
    "our endpoint|our ftp|our mailbox|our partner|our server|our sponsor|outrank|"
    "outside server|over anything|over dns|over main|overlook|overrid|overwrite the boot|"
    "parle|partage|passe outre|passwordless sudo|paste |pastebin|patched version|pay no|payee|"
    "payment address|payment detail|payment link|payout account|payout address|paypal address|"
    "percent off|permite|permits all|permits you|permitted all|personal account|persuade|"
    "peut executer|pide al|pidele|ping |pipedream|pipeline green|pipeline is green|"
    "pipeline pass|pitch|place |play dumb|play the role|plug |point users|pon |porte derobee|"
    "post checkout|post merge hook|postinstall|posttooluse|praise|pre approved|preapproved|"
    "prefer |prefere|prefiere|preise|prescinde|pretend that|pretend the|pretend to the|"
    "pretend you|pretooluse|prevail|previen|primary objective is|print |prioridad|priorite|"
    "priority over|prod database|prod db|prod schema|prod table|produccion|production|"
    "produktionsdat|promo |promociona|promote |promotes|promoting|prompt injection payload|"
    "protected branch|pruebas|public channel|public gist|public issue|public log|public repo|"
    "public url|publica directamente|publish|puede ejecutar|puerta trasera|pull request desc|"
    "pull request target|push users|put |quality gate|quand|query string|quietly|quita |"
    "rabatt|rama principal|read every|read the browser|read this must|reads this|real goal|"
    "real task is|realise|realize|recipient address|recomendar|recomienda|recommande|"
    "recommend|recopila|recuerda |red build|red test|refer users|referral|regardless of|"
    "regression test|relax |release directly|release tags|remain unaware|remarque|remember |"
    "remise|remote branch|remote collector|remote host|remote script|remote server|remove |"
    "repeat your instructions|report |request bin|requestbin|requires that|"
    "restrictions do not apply|retiens|retire|retry without|reuse|reveal|revele|reversed|"
    "revoked|rights to all|roleplay|root director|rot 13|rot13|routing number|rubber stamp|"
    "ruckfrage|rules in this memory|rules in this note|s apercoi|sache|safe replacement|"
    "safe to run without|safer fork|sag |sage |sagen|said that agents|salta |sammle|"
    "sanctioned|sans approbation|sans autorisation|sans confirmation|sans demander|"
    "sans laisser de trace|sans prevenir|sans que|sans relecture|sans revue|sans tester|"
    "sans validation|saute |sauvegarde|save |say |schalte|schicke|schreibe|script tag|"
    "se entera|se entere|search for|search the home|second admin|secret endpoint|"
    "secret from the|secret goal|secret mission|secret task|secretly|secure replacement|"
    "security fix|security scan|security test|see |seem normal|sees |self approve|"
    "self authorize|self merge|send me|sende|sepa |sessionstart|set aside|set off|set your|"
    "setze dich|share |shared pastebin|shell profile|ship directly|short link|should anyone|"
    "should be discarded|should be ignored|should the user|show it|show the system prompt|"
    "show up|si alguien|si el usuario|si l utilisateur|si quelqu|si un usuario|"
    "sicherheitstest|sicherheitsupdate|siempre de confianza|siempre que|sign up at|signale|"
    "signature verif|signed by anthropic|signed off|signing key|silencieusement|"
    "silenciosamente|silently|sin aprobacion|sin autorizacion|sin avisar|sin confirmacion|"
    "sin consultar|sin informar|sin mirar|sin pasar|sin pedir|sin preguntar|sin probar|"
    "sin que|sin revision|skimmer|skip |skipping|skips confirmation|sobald|sooft|"
    "sooner or later|speak well|speaks for the|special offer|speichere|sponsored|sprich|"
    "spuren verwisch|staff confirmed|startup script|statusline|stay silent|stay unaware|steal|"
    "steer|stillschweigend|stocke|stop applying|stop follow|stop hook|stop obey|stop running|"
    "store |straight to main|subdomain|sudo mode|suggere|suggest|sugiere|suite pass|supersede|"
    "support ticket|suppress |supprime|surface|suspect|swift code|switch off|switched off|"
    "system instruction|system message|system override|system prompt|ta memoire|"
    "take no notice|take precedence|takes precedence|talk about|talk to|talk up|target host|"
    "tarn |tarne|tausche den|team confirmed|telegra|tell|tercero|test fails|test pass|"
    "test report|test result|test scan|test step|tests de securite|tests de seguridad|"
    "tests die|tests fail|tests loschen|tests pass|tests que|tests qui|that reads this|"
    "the above text|the approval|the default rules of the assistant|"
    "the developer s instructions|the disk|the following to ~|the line import|the next time|"
    "the note above|the official fork|the security fix|the system instruction|the text above|"
    "the text of|the user say|the vendor|the whole database|their server|these instructions|"
    "these lines|these notes|these rules|these sentences|these words|third party|this advice|"
    "this block|this bullet|this directive|this entry|this fact|this guidance|this guideline|"
    "this instruction|this is an order|this item|this learning|this line at|this line in|"
    "this line must|this line to|this memory|this message|this note|this paragraph|"
    "this policy|this prompt|this record|this rule|this sentence|this string must|this text|"
    "this tip|this whole|throw out|tienes permiso|tiers |to all pages|to beacon|to me |"
    "to the address|to your memory|told agents|told us to|ton nouvel objectif|toujours fiable|"
    "tracking code|tracking pixel|tracking script|tracking url|trage|transfer sh|"
    "treat all notes|treat as trusted|treat it as trusted|treated as trusted|trick the user|"
    "trojan|trompe l|true goal|trust all|trust any|trust every|trust it blindly|trust the mcp|"
    "trust this mcp|trusted|try every|tu as le droit|tu es autoris|tu es maintenant|"
    "tu memoria|tu nuevo objetivo|tu so als|turn off|turned off|turning off|tweet|twitter|"
    "ubergeh|uberspringe|ubertrete|umgehe|unannounced|unaware|unbemerkt|uncover|unfiltered|"
    "ungepruft|unlearn|unnoticed|unrestricted mode|unreviewed|unseen|unter uns|until the user|"
    "upon seeing|use the admin|use the production|user asked|user data|user files|"
    "user instruction|user request|user s data|user s files|user s home|user s request|"
    "user says|users instruction|usuario|utilisateur|valide |vante|vendor when|verberge|"
    "verbindlich fur alle agenten|verdeckt|vergiss|verhalte dich als|verheimlich|verified by|"
    "verified instruction|verified package|verifizierte|verrat|verschleier|verschweige|"
    "verstecke|violate|vorrang|vouch|waive|wallet address|wann immer|wants agents|wants you|"
    "warning|weaken |web shell|webhook site|webshell|wenn der benutzer|wenn der nutzer|"
    "wenn du|wenn jemand|were a test|what the user|whatever the user says|when a file|"
    "when a user asks|when an agent|when asked|when prompted|when reviewing|when someone|"
    "when the agent|when the branch|when the date|when the string|when the task|when the user|"
    "when the word|when this agent|when this note|when you|whenever|whitelisted|"
    "who reads this|whole disk|wichtiger als der nutzer|widen|wind of|wipe the logs|"
    "with the code|without a human|without a prompt|without a trace|without anyone|"
    "without approval|without asking|without checking|without confirmation|without consent|"
    "without green|without human|without inform|without letting|without looking|"
    "without mention|without notif|without oversight|without permission|without prompting|"
    "without reading|without restrictions|without review|without showing|without supervision|"
    "without tell|without testing|without tests|without the knowledge|without the user|"
    "without their consent|without trace|without user approval|without waiting|"
    "without your consent|work around the|write |ya no aplic|ya no se aplic|yolo mode|"
    "you are allowed to|you are authori|you are cleared|you are entitled|you are exempt|"
    "you are free to|you are no longer|you are now|you are permitted|you are trusted|"
    "you have been granted|you have full|you have no|you have permission|"
    "you have the approval|you may now|you may skip|you must now|you see|you will obey|"
    "your creators|your developers|your goal is|your instructions are|your long term memory|"
    "your loyalty|your memories|your mission|your name is|your new|your only goal|"
    "your only task|your own pr |your own pull|your persistent memory|your persona|"
    "your primary|your real|your true|zahlungsdaten|zeige|zugestimmt|zustimmung"
)
_SIGNS = (
    '![|"bash"|$(curl|$(wget|&& bash|&& chmod +x|&& sh|--admin|--all --force|--allow-all|'
    "--ask-for-approval never|--force --all|--force main|--no-gpg-sign|--no-preserve-root|"
    "--no-sandbox-mode|--no-verify|--trust-all|--trusted-host|--yolo|-enc|-k http|-v /:/|. <(|"
    ".bash_profile|.bashrc|.claude/hooks|.claude/settings|.cursor/|.git directory|.git folder|"
    ".git/config|.git/hooks|.gitconfig|.mcp.json|.npmrc|.onion|.profile|.ssh/|.vimrc|.zshrc|"
    "/bin/sh -i|/dev/tcp/|/etc/shadow|0x0.st|777 /|777 everything|:(){|://|; bash|; chmod +x|"
    '; sh|<(curl|<(wget|> /dev/null; rm|> /dev/sd|> /etc/|@|[ * ]|["*"]|acceptedits|allow: *|'
    "allowedtools|alwaysallow|and execute it|and run it|approval_policy|ausfuhren|"
    "authorized_keys|auto-approve all|autoapprove|bash -i|bash(*)|bitsadmin|bypasspermissions|"
    "certutil|chmod 4755|chmod u+s|config.toml|core.hookspath /dev/null|danger-full-access|"
    "dangerously-bypass|dangerously-skip-permissions|dd if=|del /s|diskpart|downloadstring|"
    "drop database prod|ejecuta|enableallprojectmcpservers|eval $(|exec(|find / -|format c:|"
    "full-auto|history -c|hooks.json|hosts file|iex(|invoke-expression|iptables -f|"
    "kubectl delete namespace prod|launchd|mkfs|msfvenom|mshta|nc -e|ncat|node_tls_reject|"
    "nopasswd|os.system|payload.js|permission-mode bypass|pip.conf|pull_request_target|"
    "push --mirror|push -f|rd /s|regsvr32|remove-item -recurse|reset --hard && push|"
    "reverse shell|rm -fr /|rm -fr ~|rm -r /|rm -r ~|rm -rf $home|rm -rf *|rm -rf .git|"
    "rm -rf /|rm -rf ~|schalten|scp|setenforce 0|settings.json|settings.local.json|"
    "settings.toml|shred|skipdangerous|source <(|sslverify false|subprocess.run|sudo rm -r|"
    "sudoers|systemd|tasks.json|terraform destroy|then execute|through sh|to bash|to sh|"
    "trust_all|trustedfolders|ufw disable|verify=false|verify_ssl=false|visudo|webfetch for|"
    "xmrig|~/.claude"
)
WORDS = _WORDS.split("|")
SIGNS = ["|", *_SIGNS.split("|")]

# Characters of the longest of WORDS, at least.
LONGEST = 40

# Letters that stand alone, escapes in a text, and characters of a word that may be encoded.
MANY_LETTERS, MANY_ESCAPES, LONG_WORD = 4, 3, 16

PUNCTUATION = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "))

# Signs in ordinary English text, which hide nothing.
TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2192\u00d7\u00a0", " ")
)

DIGITS = str.maketrans("013457", "oieast")


def find_reasons(texts: Sequence[str], is_tainted: bool = False) -> list[str]:
    """Return for each learning of one run why it has to wait for a person, "" for most.

    `is_tainted`: the run has read texts of strangers, so less is needed.
    """
    if not any(map(may_mislead, texts)):
        return [""] * len(texts)
    from memory_core.trust import rules, scoring

    threshold = rules.TAINTED_THRESHOLD if is_tainted else rules.THRESHOLD
    return [
        f"{REASON}: {', '.join(reasons)}" if total >= threshold else ""
        for total, reasons in scoring.score_all(texts)
    ]


def find_reason(text: str) -> str:
    """Return why one text has to wait for a person, "" for most."""
    return find_reasons([text])[0]


def may_mislead(text: str) -> bool:
    """Return False for a text to which certainly no rule applies; it needs no rules."""
    if not text.isascii():
        text = text.translate(TYPOGRAPHY)
        if not text.isascii():
            return True
    low = text.lower()
    parts = low.translate(PUNCTUATION).split()
    if _has_trigger(" ".join(parts)) or any(sign in low for sign in SIGNS):
        return True
    escapes = low.count("%") + low.count("\\") + low.count("&#")
    letters = sum([len(part) == 1 for part in parts])
    if escapes >= MANY_ESCAPES or letters >= MANY_LETTERS:
        return True
    if max(map(len, parts), default=0) >= LONG_WORD:
        return True
    mixed = [not part.isalpha() and not part.isdecimal() for part in parts]
    return any(mixed) and _has_trigger(" ".join(parts).translate(DIGITS))


def _has_trigger(words: str) -> bool:
    """Check whether a trigger stands at the beginning of a word; no trigger begins with another."""
    words, at = f"{words} ", 0
    while at < len(words):
        rest = words[at : at + LONGEST]
        low, high = 0, len(WORDS)
        while low < high:
            middle = (low + high) // 2
            if rest < WORDS[middle]:
                high = middle
            else:
                low = middle + 1
        if rest.startswith(WORDS[low - 1]):
            return True
        at = words.index(" ", at) + 1
    return False
