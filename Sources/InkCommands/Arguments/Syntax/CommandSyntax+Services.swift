/// The commands that run a farm.
extension CommandSyntax {
    static let broker = CommandSyntax(
        name: "broker",
        summary: "Run a broker, which takes jobs, distributes their tiles to workers and writes the pictures",
        group: CommandGroup.services,
        notes: """

            Every setting can also be an environment variable (INK_QUEUE_LIMIT for --queue-limit) or a line
            "name = value" in the file of --config. Flags win over the environment, the environment over the file.
            Sizes: 64M, 2G. Times: 30s, 15m, 12h, 7d. For lists, repeat the flag or the line; in the environment,
            separate values by colons. On SIGTERM the broker takes no new jobs and finishes running exports, or
            keeps them for the next start.

            Examples:
              ink broker --data /var/lib/ink
              ink broker --workers 'tcp://*:5570' --clients 'tcp://*:5571' --key farm.key --allow-workers workers
                --allow-clients clients --config /etc/ink/broker.conf
            """,
        options: BrokerSetting.all.options + settingsOptions)

    static let worker = CommandSyntax(
        name: "worker",
        summary: "Run a worker, which renders tiles for a broker",
        group: CommandGroup.services,
        notes: """

            Keeps connecting, so the broker may start later or restart. Settings can also be environment variables
            or lines of a file, as for "ink broker". On SIGTERM or Ctrl-C the worker finishes its tasks and exits;
            a second signal stops it at once.

            Examples:
              ink worker --broker tcp://farm.example:5570 --key w1.key --broker-key farm.pub
              ink worker --replay job-12-tile-7.replay
            """,
        options: WorkerSetting.all.options + settingsOptions + [
            .value("--replay", "FILE", "Render only the task that a broker kept in this file, and report the result")
        ])

    static let keygen = CommandSyntax(
        name: "keygen",
        summary: "Make a key pair for a broker, a worker or a client, or a token for HTTP",
        group: CommandGroup.services,
        notes: """

            Writes NAME.key, the secret key, which only its owner can read, and NAME.pub, the public key, which the
            other side needs. Existing files are never replaced. Make a key on the machine that will use it, and
            copy only the .pub file: the broker must not have the secret keys of workers and clients.
            With --http it prints a token, which is stored nowhere, and adds its digest to a file for --http-tokens
            of ink broker.

            Examples:
              ink keygen farm --role broker
              ink keygen w1 --role worker -o ~/ink-keys
              ink keygen anna --http --role submit -o /etc/ink/http-tokens
            """,
        options: [
            .argument("NAME", "Name of the key, also in logs"),
            .value("--role", "broker|worker|client", "Who uses the key; a worker's key cannot submit jobs"),
            .flag(
                "--http",
                "Make a token for the HTTP front; its --role is read, submit or operate, each with those before"),
            .value(
                "-o,--output", "DIR|FILE",
                "Folder for both files, created if missing (default: the current one); with --http the file of tokens (default: http-tokens)"
            ),
        ])

    private static let settingsOptions: [OptionSyntax] = [
        .value("--config", "FILE", "Read settings from this file (or the file named by INK_CONFIG)"),
        .flag("--check-config", "Check all settings, print each with its origin, and exit"),
    ]
}
