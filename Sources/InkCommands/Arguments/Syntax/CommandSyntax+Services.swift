/// The commands that run a farm.
extension CommandSyntax {
    static let broker = CommandSyntax(
        name: "broker",
        summary: "Run a broker: takes jobs, cuts them for the workers, keeps them until they are done",
        group: CommandGroup.services,
        notes: """

            Every setting may also stand in the environment (INK_QUEUE_LIMIT for --queue-limit) or in a file of
            "name = value" lines. Flags win over the environment, that over the file. Sizes: 64M, 2G. Times: 30s,
            15m, 12h, 7d. Lists repeat the flag or the line; in the environment they are cut at colons.
            SIGTERM drains: nothing new is taken, what runs is finished or kept for the next start.

            Examples:
              ink broker --data /var/lib/ink
              ink broker --workers 'tcp://*:5570' --clients 'tcp://*:5571' --key farm.key --allow-workers workers
                --allow-clients clients --config /etc/ink/broker.conf
            """,
        options: BrokerSetting.all.options + settingsOptions)

    static let worker = CommandSyntax(
        name: "worker",
        summary: "Run a worker: renders what a broker gives it",
        group: CommandGroup.services,
        notes: """

            Connects for ever; the broker may start later, or again. Settings as for "ink broker". SIGTERM and
            Ctrl-C finish what is in hand, a second one leaves at once.

            Examples:
              ink worker --broker tcp://farm.example:5570 --key w1.key --broker-key farm.pub
              ink worker --replay job-12-tile-7.replay
            """,
        options: WorkerSetting.all.options + settingsOptions + [
            .value("--replay", "FILE", "Only render the task that a broker kept in this file, and say how it went")
        ])

    static let keygen = CommandSyntax(
        name: "keygen",
        summary: "Make a pair of keys for a broker, a worker or a client",
        group: CommandGroup.services,
        notes: """

            Writes NAME.key, which its owner alone may read, and NAME.pub, which the other side is given. Neither
            is ever replaced.

            Examples:
              ink keygen farm --role broker
              ink keygen w1 --role worker -o keys/workers
            """,
        options: [
            .argument("NAME", "What the key is called, in logs too"),
            .value("--role", "broker|worker|client", "What the key is for; a worker's key cannot submit"),
            .value("-o,--output", "DIR", "Folder for both files, made if missing (default: the current one)"),
        ])

    private static let settingsOptions: [OptionSyntax] = [
        .value("--config", "FILE", "Read settings from this file (or INK_CONFIG)"),
        .flag("--check-config", "Check all settings, print them with where each comes from, and leave"),
    ]
}
